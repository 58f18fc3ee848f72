// A command that waits for something which cannot come any more: Node would end with exit code 13 and without a word.

/** Two empty event loops in such a short time, and nothing in between. */
const AT_ONCE_MS = 100

type Exits = Pick<NodeJS.Process, 'on' | 'off'>

export interface StallWatch {
  /** Rejects when nothing is left that could end the command. */
  readonly stalled: Promise<never>
  stop(): void
}

export function watchForStall(exits: Exits = process): StallWatch {
  let lastEmptyAt = Number.NEGATIVE_INFINITY
  let fail = (_error: Error) => {}
  const stalled = new Promise<never>((_resolve, reject) => {
    fail = reject
  })
  stalled.catch(() => {})
  const onEmpty = () => {
    const isAgain = performance.now() - lastEmptyAt < AT_ONCE_MS
    lastEmptyAt = performance.now()
    if (isAgain) fail(new Error('The command waits for something that cannot come any more.'))
    // Others give up at this moment what they wait for, and go on.
    setImmediate(() => {})
  }
  exits.on('beforeExit', onEmpty)
  return { stalled, stop: () => void exits.off('beforeExit', onEmpty) }
}
