// What the heap holds once everything that can go has gone.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

export const MIB = 1024 * 1024

export async function heapUsed(): Promise<number> {
  // What ends, ends in promises; each turn lets some of them go.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
  }
  return process.memoryUsage().heapUsed
}
