// A process that is told to end: what it serves ends in good order first, or at once when it is told twice.
interface Closable {
  close(options?: { drainMs?: number }): Promise<void>
  readonly closed: Promise<void>
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Listens until the thing has closed. Whoever sent the signal learns from the exit that it was the reason. */
export function hearSignals(serving: Closable): void {
  let name: NodeJS.Signals | undefined
  const listen = (signal: NodeJS.Signals) => {
    const isSecond = name !== undefined
    name ??= signal
    void serving.close(isSecond ? { drainMs: 0 } : undefined)
  }
  for (const signal of SIGNALS) process.on(signal, listen)
  void serving.closed.then(() => {
    for (const signal of SIGNALS) process.off(signal, listen)
    if (name !== undefined) process.kill(process.pid, name)
  })
}
