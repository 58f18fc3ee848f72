// The commands of `clients/driven.js` for a client that is written in JavaScript.
import { linesOf } from '../lines.js'

export const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)

/** @param open gets the first line and returns the version, what each verb does, and how to close */
export async function drive(open) {
  const lines = linesOf(process.stdin)
  const start = JSON.parse((await lines.next()).value)
  let session
  try {
    session = await open(start)
  } catch (error) {
    tell({ id: 0, error: String(error?.message ?? error) })
    process.exit(1)
  }
  tell({ id: 0, result: session.version ?? '' })
  const controllers = new Map()
  for await (const line of lines) {
    const { id, verb, args, cancel } = JSON.parse(line)
    if (cancel !== undefined) {
      controllers.get(cancel)?.abort(new Error('cancelled'))
      continue
    }
    const controller = new AbortController()
    controllers.set(id, controller)
    const progress = (params) => tell({ event: 'progress', call: id, params })
    Promise.resolve()
      .then(() => session[verb](...args, { signal: controller.signal, progress }))
      .then(
        (result) => tell({ id, result: result ?? null }),
        (error) => tell({ id, error: String(error?.message ?? error) }),
      )
      .finally(() => controllers.delete(id))
  }
  await session.close()
  process.exit(0)
}
