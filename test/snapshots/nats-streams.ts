// The streams of a NATS as text: their settings, and each message with its sequence, which others refer to.
import { connect, headers } from '@nats-io/transport-node'

const HEADER = 'Mcpwire'

interface KeptMessage {
  readonly seq: number
  readonly subject: string
  readonly header: string
  /** In base64. */
  readonly data: string
}

export interface KeptStream {
  readonly config: { readonly name: string; readonly subjects: readonly string[] }
  readonly messages: readonly KeptMessage[]
}

interface Reply {
  readonly config?: KeptStream['config']
  readonly state?: { readonly first_seq: number; readonly last_seq: number }
  readonly message?: { readonly seq: number; readonly subject: string; readonly hdrs?: string; readonly data?: string }
  readonly error?: { readonly description: string }
}

/** Calls the API of JetStream until `use` has ended. */
async function withApi<T>(
  url: string,
  use: (
    api: (subject: string, body?: object) => Promise<Reply>,
    connection: Awaited<ReturnType<typeof connect>>,
  ) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: url })
  const api = async (subject: string, body?: object) => {
    const reply = await connection.request(`$JS.API.${subject}`, body === undefined ? '' : JSON.stringify(body))
    return reply.json<Reply>()
  }
  try {
    return await use(api, connection)
  } finally {
    await connection.close()
  }
}

export function dumpNats(url: string, names: readonly string[]): Promise<KeptStream[]> {
  return withApi(url, async (api) => {
    const streams: KeptStream[] = []
    for (const name of names) {
      const { config, state } = await api(`STREAM.INFO.${name}`)
      if (config === undefined || state === undefined) throw new Error(`There is no stream ${name}`)
      const messages: KeptMessage[] = []
      for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
        const { message } = await api(`STREAM.MSG.GET.${name}`, { seq })
        if (message === undefined) continue
        const { subject, hdrs = '', data = '' } = message
        const [, header = ''] = /\r\nMcpwire: (.*)\r\n/.exec(Buffer.from(hdrs, 'base64').toString('latin1')) ?? []
        messages.push({ seq, subject, header, data })
      }
      streams.push({ config, messages })
    }
    return streams
  })
}

/** Each message gets the sequence that it had: where one is missing, another takes its number and is removed. */
export function loadNats(url: string, streams: readonly KeptStream[]): Promise<void> {
  return withApi(url, async (api, connection) => {
    for (const { config, messages } of streams) {
      await api(`STREAM.DELETE.${config.name}`)
      await api(`STREAM.CREATE.${config.name}`, config)
      const filler = (config.subjects[0] as string).replace(/[*>]$/, 'filler')
      let next = 1
      for (const { seq, subject, header, data } of messages) {
        for (; next < seq; next += 1) await connection.request(filler, '')
        const own = headers()
        own.set(HEADER, header)
        const reply = await connection.request(subject, Buffer.from(data, 'base64'), { headers: own, timeout: 20_000 })
        if (reply.json<{ seq: number }>().seq !== seq) throw new Error(`The message ${seq} has another number`)
        next += 1
      }
      await api(`STREAM.PURGE.${config.name}`, { filter: filler })
    }
  })
}
