// Checks of a pair under load and at limits: wrong calls, many calls, large calls, changes, and the shutdown.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'

const SLOW_CALLS = 16
const SLOW_MS = 1_000

export const STRAIN_CHECKS = {
  async 'bad arguments'(session) {
    ok(await isRefused(session.callTool('add', { a: 'one', b: 2 })), 'a text was taken as a number')
    ok(await isRefused(session.callTool('echo', {})), 'a missing argument was not missed')
    ok(await isRefused(session.callTool('nowhere', {})), 'a tool that is not there was called')
    strictEqual((await session.callTool('echo', { text: 'still here' })).content[0].text, 'still here')
  },

  async 'slow calls in flight'(session) {
    let ended = 0
    const slow = Array.from({ length: SLOW_CALLS }, async () => {
      const { content } = await session.callTool('slow', { ms: SLOW_MS })
      ended += 1
      return content[0].text
    })
    const all = Promise.all(slow)
    // If the quick call fails, its error is reported.
    all.catch(() => {})
    await session.callTool('echo', { text: 'quick' })
    ok(ended < SLOW_CALLS, 'a quick call waited for all the slow ones')
    deepStrictEqual(await all, Array(SLOW_CALLS).fill('slept'))
  },

  async '64 in flight'(session) {
    const texts = Array.from({ length: 64 }, (_, index) => `call ${index}`)
    const echoes = texts.map(async (text) => (await session.callTool('echo', { text })).content[0].text)
    deepStrictEqual(await Promise.all(echoes), texts)
  },

  async '1 MB each way'(session) {
    const text = 'é'.repeat(500_000)
    const { content } = await session.callTool('echo', { text })
    ok(content[0].text === text, `sent ${text.length} characters, got ${content[0].text?.length}`)
  },

  async 'list changes'(session, { until }) {
    let changes = 0
    const unwatch = await session.watchTools(() => {
      changes += 1
    })
    await session.callTool('grow', {})
    await until(() => changes > 0, 'no change was announced')
    const isThere = async () => (await session.listTools()).some(({ name }) => name === 'grown')
    await until(isThere, 'the new tool is not in the list')
    await unwatch()
  },
}

async function isRefused(call) {
  return call.then(
    ({ isError }) => isError === true,
    () => true,
  )
}

/** The server of a stdio cell exited by itself after its client closed, with code 0 and no process left. */
export async function checkEnd(file, until) {
  await until(() => existsSync(file), 'the server runs on after its client has gone')
  const { code, signal } = JSON.parse(readFileSync(file, 'utf8'))
  deepStrictEqual({ code, signal }, { code: 0, signal: null })
  ok(!isAlive(Number(readFileSync(`${file}.started`, 'utf8'))), 'the process is still there')
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
