import { combine, memory, sealed, update } from 'mcpwire/backend'

const { MCP_SECRET = 'for this example: at least 32 bytes' } =
  process.env

// Tasks on one engine, everything else on another, and all of it
// encrypted.
const backend = sealed(
  combine({ ...memory(), tasks: memory().tasks }),
  [MCP_SECRET],
)
await backend.open({ namespace: 'shop', report: console.warn })

// Both changes count, although they are made at the same time.
const addOne = (value = '0') => ({
  value: String(Number(value) + 1),
  ttlMs: 60_000,
})
await Promise.all([
  update(backend.records, 'visits', addOne),
  update(backend.records, 'visits', addOne),
])

const visits = await backend.records.get('visits')
const { isReady } = await backend.health()
console.log(`${visits?.value} visits`, { isReady })
await backend.close()
