// A NATS with JetStream, on a port that it chooses itself.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EngineProcess, makeFolder } from './engine-process.ts'
import { programOf } from './programs.ts'

export interface NatsServer {
  /** Such as `nats://127.0.0.1:40123`. Another one after a restart, unless it was started on a port. */
  readonly url: string
  readonly process: EngineProcess
  close(): Promise<void>
}

export interface NatsOptions {
  /** For restarts: a port that is free. Default: any. */
  readonly port?: number
  readonly args?: readonly string[]
  /** Default: it has. */
  readonly hasJetStream?: boolean
  /** Of JetStream, such as `200KB`. Default: what the disk has. */
  readonly maxFileStore?: string
  /** Default: a folder of its own. */
  readonly storeDir?: string
  /** More lines of its configuration file. */
  readonly config?: string
}

export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  const { port = -1, args = [], hasJetStream = true, maxFileStore, config = '' } = options
  const folder = makeFolder()
  const { storeDir = join(folder, 'data') } = options
  const limit = maxFileStore === undefined ? '' : `, max_file_store: ${maxFileStore}`
  const jetStream = `jetstream: { store_dir: "${storeDir}"${limit} }`
  writeFileSync(join(folder, 'nats.conf'), `${hasJetStream ? jetStream : ''}\n${config}\n`)
  let url = ''
  const process = new EngineProcess(folder, {
    path: programOf('NATS'),
    args: [
      ...['-a', '127.0.0.1', '-p', String(port), '--ports_file_dir', folder],
      ...['-c', join(folder, 'nats.conf'), ...args],
    ],
    isReady: (log) => {
      if (!log.includes('Server is ready')) return false
      const ports = JSON.parse(readFileSync(join(folder, `nats-server_${process.pid}.ports`), 'utf8')) as {
        nats: string[]
      }
      url = ports.nats[0] as string
      return true
    },
  })
  await process.start()
  return {
    get url() {
      return url
    },
    process,
    close: () => process.close(),
  }
}
