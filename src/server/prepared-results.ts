// Results that never change: shaped and written once per revision instead of once per request.
import { isPlainObject } from '../primitives/objects.ts'
import { prepareJSON } from '../primitives/prepared-json.ts'
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
    const form = prepare(shape(), result)
    forms.set(version, form)
    return form
  }
}

/** Never the result itself, which has one text but several forms. */
function prepare(form: JSONObject, result: object): JSONObject {
  const own = form === result ? { ...form } : form
  // The stamp is new with each form; in process, whoever gets it could write on it.
  if (isPlainObject(own['_meta'])) Object.freeze(own['_meta'])
  return prepareJSON(own)
}
