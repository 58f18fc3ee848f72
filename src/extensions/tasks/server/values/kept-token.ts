// The header `authorization` of the request that created a task, encrypted, for authors who asked to keep it.
import type { MaybePromise } from '../../../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../../../server/context.ts'
import { type Cipher, createCipher } from '../../../../server/state/cipher.ts'
import { ErrorCode } from '../../../../types/errors/error-codes.ts'
import { MCPError } from '../../../../types/errors/errors.ts'
import type { TasksOptions } from '../../options/tasks-options.ts'

export class KeptTokens {
  readonly #cipher: Cipher | undefined

  /** Throws `TypeError` or `RangeError` for keys that can't be used. */
  constructor(keepTokens: TasksOptions['keepTokens']) {
    this.#cipher = keepTokens === undefined ? undefined : createCipher(keepTokens.keys)
  }

  /** Returns `undefined` if nothing is kept. The token is bound to the task, so that no other task can be given it. */
  seal(taskId: string, { dispatch }: ServerRequestContext): MaybePromise<string | undefined> {
    const authorization = dispatch.transport.headers?.['authorization']
    if (this.#cipher === undefined || authorization === undefined) return undefined
    return this.#cipher.encrypt(JSON.stringify([taskId, authorization]))
  }

  /** The headers of a run. Rejects with `MCPError` -32603 where they were kept and can't be read: the run must not go on without. */
  open(taskId: string, sealed: string | undefined): MaybePromise<Record<string, string> | undefined> {
    return sealed === undefined ? undefined : this.#open(taskId, sealed)
  }

  async #open(taskId: string, sealed: string): Promise<Record<string, string>> {
    const opened = await this.#cipher?.decrypt(sealed)
    const [id, authorization] = opened?.ok === true ? (JSON.parse(opened.text) as [string, string]) : []
    if (id === taskId && authorization !== undefined) return { authorization }
    throw new MCPError(ErrorCode.InternalError, 'The token of the task could not be read. Check keepTokens of tasks().')
  }
}
