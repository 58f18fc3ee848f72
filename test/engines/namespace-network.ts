// A network of its own for one process, as another machine has: what is sent over it can be dropped, and neither end is told.
import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { NOT_TESTED } from './not-tested.ts'

export interface NamespaceNetwork {
  /** The address of this side, which the other one reaches. */
  readonly address: string
  /** Goes before a command that is to run on the other side. */
  readonly command: readonly string[]
  /** From here on nothing arrives, in either direction. */
  cut(): void
  mend(): void
  close(): void
}

/** `undefined` where this process may not make one, which the end of the run says in one line. */
export function openNamespaceNetwork(): NamespaceNetwork | undefined {
  const name = `mw${process.pid}x${randomInt(1_000)}`
  // 198.18.0.0/15 is for tests of networks: no machine has these addresses.
  const part = `198.18.${randomInt(256)}`
  const host = randomInt(63) * 4
  const [address, other] = [`${part}.${host + 1}`, `${part}.${host + 2}`]
  const [here, there] = [`${name.slice(0, 13)}a`, `${name.slice(0, 13)}b`]
  const ip = (text: string) => execFileSync('ip', text.split(' '), { stdio: 'pipe' })
  const close = () => {
    // The end here goes with the one there.
    for (const command of [`netns del ${name}`, `link del ${here}`]) {
      try {
        ip(command)
      } catch {
        // It is gone.
      }
    }
  }
  try {
    ip(`netns add ${name}`)
    ip(`link add ${here} type veth peer name ${there}`)
    ip(`link set ${there} netns ${name}`)
    ip(`addr add ${address}/30 dev ${here}`)
    ip(`link set ${here} up`)
    ip(`-n ${name} addr add ${other}/30 dev ${there}`)
    ip(`-n ${name} link set ${there} up`)
    ip(`-n ${name} link set lo up`)
  } catch {
    close()
    const file = process.env[NOT_TESTED]
    if (file !== undefined) appendFileSync(file, 'a cut network (network namespaces need root and iproute2)\n')
    return undefined
  }
  return {
    address,
    command: ['ip', 'netns', 'exec', name],
    cut: () => void ip(`-n ${name} link set ${there} down`),
    mend: () => void ip(`-n ${name} link set ${there} up`),
    close,
  }
}
