// Calls over stdio and HTTP, on the side of the server and of the client.
import { compareHeap } from './heap.ts'
import { compareHttp } from './http.ts'
import { installPeers } from './install-peers.ts'
import { paceOf } from './pace.ts'
import { compareWorkers } from './processes.ts'
import type { PlannedRow } from './rows.ts'
import { compareStdio } from './stdio-calls.ts'

const peers = installPeers()

const OFFICIAL_LEGACY = ['official v2, legacy', 'official v1, legacy']
const STDIO = ['floor', 'mcpwire', 'official v2']
const STDIO_LEGACY = ['floor, legacy', 'mcpwire, legacy', ...OFFICIAL_LEGACY]

const onStdio = (isQuick: boolean) => paceOf(isQuick, { rounds: 15, runs: 1_920, warmUp: 15_360 })
const onHttp = (isQuick: boolean) => paceOf(isQuick, { rounds: 15, runs: 640, warmUp: 8_000 })
const onClient = (isQuick: boolean) => paceOf(isQuick, { rounds: 15, runs: 1_000, warmUp: 10_000 })
const ofLists = (isQuick: boolean) => paceOf(isQuick, { rounds: 15, runs: 20, warmUp: 150 })
const ofLarge = (isQuick: boolean) => paceOf(isQuick, { rounds: 11, runs: 4, warmUp: 20 })

const stdioRow = (title: string, goal: number, tool: 'add' | 'plan', contenders: readonly string[]): PlannedRow => ({
  title,
  unit: '×',
  goal,
  ours: contenders[1] ?? '',
  measure: (isQuick) => compareStdio(contenders, onStdio(isQuick), { tool, atOnce: 64 }),
})

const httpRow = (title: string, goal: number, atOnce: number, contenders: readonly string[]): PlannedRow => ({
  title,
  unit: '×',
  goal,
  ours: contenders[1] ?? '',
  measure: (isQuick) => compareHttp('node-http', contenders, onHttp(isQuick), { atOnce }),
})

export const TRANSPORT_ROWS: readonly PlannedRow[] = [
  stdioRow('stdio server: 64 calls at once, modern', 1.3, 'add', STDIO),
  stdioRow('stdio server: 64 calls at once, legacy', 1.3, 'add', [
    ...STDIO_LEGACY,
    ...('fastmcp' in peers ? ['fastmcp, legacy'] : []),
  ]),
  stdioRow('stdio server: nested input of 30 properties', 1.4, 'plan', STDIO),
  {
    title: 'stdio client: nested output of 30 properties',
    unit: '×',
    goal: 1.4,
    ours: 'mcpwire',
    measure: (isQuick) => compareWorkers('outputs', ['floor', 'mcpwire', ...OFFICIAL_LEGACY], onClient(isQuick)),
  },
  {
    title: 'stdio client: a listing of 1,000 tools, modern',
    unit: '×',
    goal: 1.2,
    ours: 'mcpwire',
    measure: (isQuick) => compareWorkers('lists', ['floor', 'mcpwire'], ofLists(isQuick)),
  },
  {
    title: 'stdio client: a listing of 1,000 tools, legacy',
    unit: '×',
    goal: 1.2,
    ours: 'mcpwire, legacy',
    measure: (isQuick) =>
      compareWorkers('lists', ['floor, legacy', 'mcpwire, legacy', ...OFFICIAL_LEGACY], ofLists(isQuick)),
  },
  httpRow('HTTP server: 16 calls at once, modern', 1.3, 16, ['floor', 'mcpwire', 'official v2']),
  httpRow('HTTP server: 64 calls at once, modern', 1.3, 64, ['floor', 'mcpwire', 'official v2']),
  httpRow('HTTP server: 16 calls at once, in a legacy session', 1.4, 16, [
    'floor, legacy',
    'mcpwire, legacy',
    'official v1, legacy',
  ]),
  {
    title: 'HTTP server: a result of 10 MB in a legacy session',
    unit: '×',
    goal: 1.15,
    ours: 'mcpwire, legacy',
    measure: (isQuick) =>
      compareHttp('node-http', ['floor, legacy', 'mcpwire, legacy', 'official v1, legacy'], ofLarge(isQuick), {
        atOnce: 1,
        tool: 'large',
      }),
  },
  {
    title: 'HTTP by fetch: toFetch() over @hono/node-server, beside a handler by hand there',
    unit: '×',
    goal: 1.4,
    ours: 'mcpwire',
    measure: (isQuick) =>
      compareHttp(
        'fetch',
        ['floor', 'mcpwire', 'official v2', ...('mcp-lite' in peers ? ['mcp-lite'] : [])],
        onHttp(isQuick),
        { atOnce: 16 },
      ),
  },
  {
    title: 'heap: an open legacy session with its stream, beyond the stream by hand',
    unit: 'KB',
    goal: 8,
    ours: 'mcpwire, legacy',
    measure: (isQuick) => compareHeap(['mcpwire, legacy', 'official v1, legacy'], isQuick ? 200 : 1_000),
  },
]
