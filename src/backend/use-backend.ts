// Servers and clients of one process may share a backend: it opens with the first of them and closes after the last.
import type { Backend, BackendUse } from './backend.ts'

const users = new WeakMap<Backend, number>()

/** Opens the backend, and returns how to give it back: what the last user calls closes it. Giving back twice does nothing. */
export async function useBackend(backend: Backend, use?: BackendUse): Promise<() => Promise<void>> {
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
