// npm run conformance: the official suite against our server and our client, held to more than the suite itself asks for.
// `--short` leaves out the legs that start all clients at once; `--write` renews docs/project/conformance.md and the list of checks;
// `--through` runs the server legs once more through proxies and gateways, and compares (`--short`: one proxy, and from era to era; `--way name`: one way);
// `--cluster` runs the server legs on one node, then on three behind a balancer without stickiness, and compares the two.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { runClientLegs, runClientsSingly, runServerLegs } from './conformance/legs.js'
import { compareWithOneNode, startNodes } from './conformance/nodes.js'
import { describeRun } from './conformance/report.js'
import { runThrough } from './conformance/through.js'
import { root, run } from './lib/run.js'

const isShort = process.argv.includes('--short')
const isWriting = process.argv.includes('--write')
const isCluster = process.argv.includes('--cluster')
const isThrough = process.argv.includes('--through')

if (!existsSync(new URL('build/conformance/server.js', root)) || !isShort) run('build', 'scripts/build.js')

const checksFile = new URL('conformance/checks.json', root)
const expected = isWriting || !existsSync(checksFile) ? {} : JSON.parse(readFileSync(checksFile, 'utf8'))

const started = performance.now()
const legs = [...(await runServerLegs(expected))]
if (isCluster) {
  const onNodes = await runServerLegs(expected, { start: startNodes, prefix: 'three-nodes-' })
  compareWithOneNode(legs, onNodes)
  legs.push(...onNodes)
} else if (isThrough) {
  legs.push(...(await runThrough(expected, legs, { isShort, only: wayOf(process.argv) })))
} else {
  if (!isShort) legs.push(...(await runClientLegs(expected)))
  legs.push(await runClientsSingly(expected))
}

let failures = 0
for (const { leg, outcomes } of legs) {
  const count = (verdict) => outcomes.filter((outcome) => outcome.verdict === verdict).length
  console.log(`\n${leg}: ${count('pass')} pass, ${count('fail')} fail, ${count('waits')} wait`)
  for (const { scenario, version, verdict, problems } of outcomes) {
    if (verdict !== 'fail') continue
    failures++
    console.log(`  ✗ ${scenario}${version === undefined ? '' : ` at ${version}`}`)
    for (const problem of problems) console.log(`      ${problem}`)
  }
}
const seconds = (performance.now() - started) / 1000
console.log(`\n${failures === 0 ? 'Conforms' : `${failures} scenarios fail`} (${seconds.toFixed(0)} s)`)

if (isWriting && failures === 0 && !isShort && !isCluster && !isThrough) {
  writeFileSync(new URL('docs/project/conformance.md', root), describeRun(legs))
  writeFileSync(checksFile, `${JSON.stringify(checkIds(legs), undefined, 2)}\n`)
  run('format', 'biome', ['check', '--write', 'conformance/checks.json'])
}
process.exit(failures === 0 ? 0 : 1)

/** `--way name`: only through this one. */
function wayOf(args) {
  const index = args.indexOf('--way')
  return index === -1 ? undefined : args[index + 1]
}

/** The ids of the checks of every scenario that passed, so that one which is no longer made is noticed. */
function checkIds(legs) {
  const ids = {}
  for (const { outcomes } of legs) {
    for (const { key, verdict, checks } of outcomes) {
      if (verdict === 'pass') ids[key] = [...new Set(checks.map(({ id }) => id))].sort()
    }
  }
  return ids
}
