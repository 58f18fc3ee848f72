// Every step has a time limit.

/** Rejects with `TimeoutError` after that time. What the work still does is not waited for. */
export async function within<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const limit = new AbortController()
  // Keeps the process running, which the timer of AbortSignal.timeout() does not: a wait may have nothing else that does.
  const timer = setTimeout(() => limit.abort(new DOMException(`Not done within ${ms} ms`, 'TimeoutError')), ms)
  const bounded = AbortSignal.any([signal, limit.signal])
  const working = work(bounded)
  working.catch(() => {})
  let stop = () => {}
  const ended = new Promise<never>((_resolve, reject) => {
    const onAbort = () => reject(bounded.reason)
    bounded.addEventListener('abort', onAbort, { once: true })
    stop = () => bounded.removeEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([working, ended])
  } finally {
    clearTimeout(timer)
    stop()
  }
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}
