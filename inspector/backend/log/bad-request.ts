// The answer to a request that can't be done.

/** A request that can't be answered because of what it says. */
export class BadRequest extends Error {
  readonly status: number
  readonly fix: string | undefined

  constructor(message: string, { status = 400, fix }: { status?: number; fix?: string } = {}) {
    super(message)
    this.status = status
    this.fix = fix
  }
}
