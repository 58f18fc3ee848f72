// Keeps a process busy while it measures a server.

/** Waking a process costs the process that wakes it, and a slower server would do that more often. So this one never sleeps. */
export function stayAwake(): () => void {
  let isAwake = true
  const turn = () => {
    if (isAwake) setImmediate(turn)
  }
  turn()
  return () => {
    isAwake = false
  }
}
