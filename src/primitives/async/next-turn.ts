// Calls a function once all promises that are settled by now have called back, and without a timer where the runtime can do that: a
// timer waits for a millisecond at least.

interface Immediates {
  setImmediate?: (callback: () => void) => unknown
}

/** Returns what prevents the call. */
export function callNextTurn(callback: () => void): () => void {
  let isWanted = true
  const call = () => {
    if (isWanted) callback()
  }
  const { setImmediate } = globalThis as Immediates
  if (setImmediate === undefined) callByMessage(call)
  else setImmediate(call)
  return () => {
    isWanted = false
  }
}

function callByMessage(call: () => void): void {
  if (typeof MessageChannel === 'undefined') {
    setTimeout(call, 0)
    return
  }
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    call()
  }
  port2.postMessage(undefined)
}
