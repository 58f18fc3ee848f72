// Results that never change: shaped once per revision instead of once per request.
import type { JSONObject } from '../types/json.ts'
import type { ProtocolVersion } from '../types/versions.ts'

export class PreparedResults {
  readonly #forms = new WeakMap<object, Map<ProtocolVersion, JSONObject>>()

  /** Whoever made the result promises that nothing in it will change any more. */
  add(result: object): void {
    this.#forms.set(result, new Map())
  }

  /** The form that the result has in a revision, made by `shape` the first time it is asked for. */
  formOf(result: object, version: ProtocolVersion, shape: () => JSONObject): JSONObject {
    const forms = this.#forms.get(result)
    if (forms === undefined) return shape()
    const known = forms.get(version)
    if (known !== undefined) return known
    const form = Object.freeze(shape())
    forms.set(version, form)
    return form
  }
}
