// For those who drive a server under measure.

/** Waking a process costs the one that wakes it, and the slower server would do that more often: so this one never sleeps. */
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
