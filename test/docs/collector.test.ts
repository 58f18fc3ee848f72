// docs D5: the spans on the page about telemetry are those that a collector got (npm run telemetry). Here the program runs with as little
// of an SDK as records them.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const source = (path: string) => join(root, 'src', path)

const SDK = `
import { SpanKind } from '@opentelemetry/api'
import { describeSpans } from './scripts/lib/traces.js'
import { register } from './test/unit/telemetry/real-api.ts'
export class NodeSDK {
  start() { this.recorded = register() }
  shutdown() {
    const spans = this.recorded.spans.map((span) => ({
      id: span.spanContext().spanId,
      parentId: span.parentId,
      name: span.name,
      kind: SpanKind[span.kind].toLowerCase(),
      attributes: span.attributes,
    }))
    console.log(describeSpans(spans))
  }
}`

it('run/collector.ts makes the spans that the page shows', async () => {
  const outfile = join(root, 'build/fixtures/collector.js')
  await build({
    absWorkingDir: root,
    entryPoints: ['docs/examples/run/collector.ts'],
    outfile,
    alias: {
      mcpwire: source('exports/index.ts'),
      'mcpwire/telemetry': source('exports/telemetry.ts'),
      '#platform': source('node/platform.ts'),
    },
    plugins: [
      {
        name: 'sdk',
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /^@opentelemetry\/sdk-node$/ }, ({ path }) => ({ path, namespace: 'sdk' }))
          onLoad({ filter: /.*/, namespace: 'sdk' }, () => ({ contents: SDK, resolveDir: root, loader: 'js' }))
        },
      },
    ],
    external: ['@opentelemetry/api', 'cross-spawn', 'zod'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  })
  const { stdout } = await promisify(execFile)(process.execPath, [outfile])
  expect(stdout.trim()).toBe(readFileSync(join(root, 'docs/examples/run/collector.trace'), 'utf8').trim())
})
