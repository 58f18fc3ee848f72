// Servers and clients of one process may share a backend: it opens with the first of them and closes after the last.
import type { Backend, BackendUse } from './backend.ts'
import { checkBackend } from './parts.ts'

const users = new WeakMap<Backend, number>()

/** Opens the backend, and returns how to give it back: what the last user calls closes it. Giving back twice does nothing. */
export async function useBackend(backend: Backend, use?: BackendUse): Promise<() => Promise<void>> {
  checkBackend('The option backend', backend)
  users.set(backend, (users.get(backend) ?? 0) + 1)
  let isUsed = true
  const release = async () => {
    if (!isUsed) return
    isUsed = false
    const others = (users.get(backend) ?? 1) - 1
    users.set(backend, others)
    if (others === 0) await backend.close()
  }
  try {
    await backend.open(use)
  } catch (error) {
    await release()
    throw error
  }
  return release
}

/**
 * How a backend over another one uses it, as those of `sealed`, `observed` and `combine` do: several of them may stand on the same one,
 * which closes after the last. Any number of opens is one use.
 */
export class InnerUse {
  readonly #backend: Backend
  #opening: Promise<() => Promise<void>> | undefined

  constructor(backend: Backend) {
    this.#backend = backend
  }

  async open(use?: BackendUse): Promise<void> {
    if (this.#opening !== undefined) {
      await this.#opening
      return this.#backend.open(use)
    }
    const opening = useBackend(this.#backend, use)
    this.#opening = opening
    try {
      await opening
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined
      throw error
    }
  }

  async close(): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    // An operation may have opened it without anybody who uses it.
    if (opening === undefined) return (users.get(this.#backend) ?? 0) > 0 ? undefined : this.#backend.close()
    const release = await opening.catch(() => undefined)
    await release?.()
  }
}
