// npm run telemetry [-- --write]: the program of docs/run/telemetry.md with the SDK of OpenTelemetry, against a real collector. It
// compares what the collector got with what the page shows, or writes it there.
//
// It needs Jaeger's "all-in-one" program, version 1.35 or newer, as JAEGER or on the PATH, and the registry of npm for the SDK:
//   go mod init jaeger && go get github.com/jaegertracing/jaeger/cmd/all-in-one@v1.42.0
//   go build -o jaeger-all-in-one github.com/jaegertracing/jaeger/cmd/all-in-one
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ensureInstalled } from './lib/install.js'
import { root, run } from './lib/run.js'
import { compilePrograms } from './lib/snippets.js'
import { describeSpans } from './lib/traces.js'

const PROGRAM = 'docs/examples/run/collector.ts'
const RECORDED = new URL('docs/examples/run/collector.trace', root)
/** The newest that Node 20 runs. */
const PACKAGES = ['@opentelemetry/sdk-node@0.223.0', '@opentelemetry/api@1.9.1']
const SERVICE = 'weather'
const SPANS = 8
const LIMIT_MS = 60_000

const jaeger = process.env.JAEGER ?? 'jaeger-all-in-one'
if (spawnSync(jaeger, ['version'], { stdio: 'ignore' }).status !== 0) {
  console.error(
    `Cannot run '${jaeger}'. Set JAEGER to the path of Jaeger's all-in-one program: scripts/telemetry.js says how to build it.`,
  )
  process.exit(1)
}
ensureInstalled()
if (!existsSync(new URL('dist/lib/index.js', root))) run('build', 'scripts/build.js')
const folder = await prepareFolder()
const ports = await findPorts(2)
const collector = startJaeger(ports)
try {
  await within('Jaeger to start', async () => (await fetch(`${collector.queries}/services`)).ok)
  const { status } = spawnSync(process.execPath, ['collector.js'], {
    cwd: folder,
    stdio: 'inherit',
    timeout: LIMIT_MS,
    env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint },
  })
  if (status !== 0) throw new Error(`${PROGRAM} failed`)
  let spans = []
  await within(`${SPANS} spans to arrive`, async () => {
    spans = await readSpans(collector.queries)
    return spans.length >= SPANS
  })
  compare(describeSpans(spans))
} finally {
  collector.child.kill()
}

/** A folder with the program, the SDK and this package, outside of the packages that every test needs. */
async function prepareFolder() {
  const url = new URL('.cache/telemetry/', root)
  const path = fileURLToPath(url)
  mkdirSync(url, { recursive: true })
  writeFileSync(new URL('package.json', url), '{ "type": "module", "private": true }')
  const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  const { status } = spawnSync('npm', ['install', ...flags, ...PACKAGES], {
    cwd: path,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`Cannot install ${PACKAGES.join(' and ')}`)
  for (const name of ['mcpwire', 'zod']) {
    const link = new URL(`node_modules/${name}`, url)
    rmSync(link, { recursive: true, force: true })
    symlinkSync(fileURLToPath(name === 'mcpwire' ? root : new URL(`node_modules/${name}`, root)), link, 'junction')
  }
  copyFileSync(new URL(PROGRAM, root), new URL('collector.ts', url))
  const check = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
  ]
  run('types of the program', 'tsc', [...check, '--types', 'node', 'collector.ts'], { cwd: path })
  await compilePrograms([PROGRAM])
  copyFileSync(new URL('build/docs/run/collector.js', root), new URL('collector.js', url))
  return path
}

async function findPorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
  const found = servers.map((server) => server.address().port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return found
}

/** What it would also listen to gets any free port. */
function startJaeger([otlp, query]) {
  const OTHERS = [
    'admin.http.host-port',
    'collector.grpc-server.host-port',
    'collector.http-server.host-port',
    'collector.otlp.grpc.host-port',
    'http-server.host-port',
    'processor.jaeger-binary.server-host-port',
    'processor.jaeger-compact.server-host-port',
    'processor.zipkin-compact.server-host-port',
    'query.grpc-server.host-port',
  ]
  const flags = [
    '--collector.otlp.enabled=true',
    `--collector.otlp.http.host-port=127.0.0.1:${otlp}`,
    `--query.http-server.host-port=127.0.0.1:${query}`,
    ...OTHERS.map((name) => `--${name}=127.0.0.1:0`),
  ]
  const child = spawn(jaeger, flags, { stdio: 'ignore', env: { ...process.env, SPAN_STORAGE_TYPE: 'memory' } })
  return { child, endpoint: `http://127.0.0.1:${otlp}`, queries: `http://127.0.0.1:${query}/api` }
}

async function within(what, isDone) {
  const end = performance.now() + LIMIT_MS
  while (performance.now() < end) {
    if (await isDone().catch(() => false)) return
    await setTimeout(200)
  }
  throw new Error(`Waited ${LIMIT_MS / 1000} s for ${what}`)
}

/** All spans of the service, as Jaeger's API for queries lists them. */
async function readSpans(queries) {
  const response = await fetch(`${queries}/traces?service=${SERVICE}`)
  const { data } = await response.json()
  const spans = data.flatMap((trace) => trace.spans)
  // Several begin in the same millisecond, but requests are numbered.
  spans.sort((a, b) => Number(tagsOf(a)['jsonrpc.request.id']) - Number(tagsOf(b)['jsonrpc.request.id']))
  return spans.map((span) => ({
    id: span.spanID,
    parentId: span.references.find(({ refType }) => refType === 'CHILD_OF')?.spanID,
    name: span.operationName,
    kind: tagsOf(span)['span.kind'],
    attributes: tagsOf(span),
  }))
}

function tagsOf({ tags }) {
  return Object.fromEntries(tags.map(({ key, value }) => [key, value]))
}

function compare(text) {
  console.log(`\nThe collector got:\n\n${text}`)
  if (process.argv.includes('--write')) writeFileSync(RECORDED, text)
  else if (readFileSync(RECORDED, 'utf8') !== text) {
    console.error(`${fileURLToPath(RECORDED)} differs. Run npm run telemetry -- --write, then npm run docs:snippets.`)
    process.exitCode = 1
  } else console.log('The page shows the same.')
}
