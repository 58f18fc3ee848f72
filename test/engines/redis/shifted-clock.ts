// A client whose scripts read another time: the clock of Redis is the machine's, which a test must not set.
import { Redis } from 'ioredis'

export interface Shifted {
  readonly client: Redis
  /** Every script reads a clock that is so many seconds ahead. */
  aheadSeconds: number
}

export function shiftedRedis(socket: string): Shifted {
  const client = new Redis(socket)
  const send = client.call.bind(client)
  const shifted: Shifted = { client, aheadSeconds: 0 }
  const call = (name: string, ...given: (string | readonly string[])[]) => {
    const args = given.flat()
    // Without its digest the backend sends the text of the script.
    if (name === 'evalsha') return Promise.reject(new Error('NOSCRIPT'))
    if (name !== 'eval') return send(name, args)
    const [text = '', ...rest] = args
    const clock = `local function clock()
      local time = redis.call('TIME')
      time[1] = tostring(time[1] + ${shifted.aheadSeconds})
      return time
    end\n`
    return send(name, [clock + text.replaceAll("redis.call('TIME')", 'clock()'), ...rest])
  }
  Object.assign(client, { call })
  return shifted
}
