// V1, V3, V4: what a connected client sees of a reload.
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isFull } from '../../../test/engines/full.ts'
import { COMBINATIONS, StartedDev, serverText } from './started-dev.ts'

/** What `npm test` has no time for. */
const itInFull = it.runIf(isFull)

const combinations = isFull ? COMBINATIONS : COMBINATIONS.slice(0, 2)

const BAD_VERSIONS: readonly [what: string, bad: (text: string) => string, message: RegExp][] = [
  ['a syntax error', (text) => `${text}\nconst = 1\n`, /server\.ts:\d+: SyntaxError/],
  ['an exception at load', (text) => `${text}\nthrow new Error('no database')\n`, /server\.ts:\d+: Error: no database/],
  ['a program that ends', (text) => `${text}\nprocess.exit(7)\n`, /The server exited with code 7/],
  ['a missing import', (text) => `import './missing.js'\n${text}`, /Cannot find module/],
]

describe.each(combinations)('mcpwire dev over %s with a %s client', (transport, mode) => {
  let dev: StartedDev
  let version = 1

  beforeAll(async () => {
    dev = await StartedDev.start({ transport, mode })
  })
  afterAll(() => dev[Symbol.asyncDispose]())

  const next = (more = '') => {
    version += 1
    return serverText(version, more)
  }
  const toolNames = async () => {
    const names: string[] = []
    for await (const { name } of dev.client.tools({ cacheMode: 'refresh' })) names.push(name)
    return names
  }

  it('V1 runs changed code', async () => {
    expect(await dev.call('version')).toBe(1)
    expect(await dev.save(next())).toMatch(/reloaded .*server\.ts in \d+ ms$/)
    expect(await dev.call('version')).toBe(version)
  })

  it('V1 V3 announces a tool that was added, one that changed and one that was removed, and nothing else', async () => {
    await using subscription = await dev.client.listen({ toolsListChanged: true, promptsListChanged: true })
    const events: string[] = []
    const reading = (async () => {
      for await (const { type } of subscription) events.push(type)
    })()
    expect(await dev.save(next("server.tool('refund', { description: 'Refund.' }, () => 1)\n"))).toMatch(
      / \+ tool refund$/,
    )
    await vi.waitFor(() => expect(events).toEqual(['toolsListChanged']))
    expect(await toolNames()).toContain('refund')
    const changed = "server.tool('refund', { description: 'Refund.', input: z.object({ id: z.number() }) }, () => 1)\n"
    expect(await dev.save(next(changed))).toMatch(/ ~ tool refund \(input\)$/)
    await vi.waitFor(() => expect(events).toHaveLength(2))
    expect(await dev.save(next())).toMatch(/ - tool refund$/)
    await vi.waitFor(() => expect(events).toHaveLength(3))
    expect(await toolNames()).not.toContain('refund')
    // Code that changes no list is announced to nobody. The next change is the fourth event.
    await dev.save(next())
    await dev.save(next("server.prompt('greet', () => 'Hello')\n"))
    await vi.waitFor(() => expect(events.at(-1)).toBe('promptsListChanged'))
    expect(events).toHaveLength(4)
    await dev.save(next())
    await subscription.return?.()
    await reading
  })

  it.each(BAD_VERSIONS.slice(0, isFull ? undefined : 1))(
    'V1 goes on with the version before after %s, and says where',
    async (_what, bad, message) => {
      const before = await dev.call('version')
      const from = dev.lines.length
      await dev.write(bad(next()))
      await dev.printed(message, from)
      await dev.printed(/The version before goes on serving\. The next change of a file tries again\./, from)
      expect(await dev.call('version')).toBe(before)
      await dev.save(next())
      expect(await dev.call('version')).toBe(version)
    },
  )

  itInFull('V1 loads a file that was missing when it appears', async () => {
    const from = dev.lines.length
    await dev.write(`import { price } from './later.js'\n${next("server.tool('price', () => price)\n")}`)
    await dev.printed(/Cannot find module/, from)
    expect(await dev.save('export const price: number = 12\n', 'later.ts')).toMatch(/reloaded .*later\.ts/)
    expect(await dev.call('price')).toBe(12)
    await dev.save('export const price: number = 13\n', 'later.ts')
    expect(await dev.call('price')).toBe(13)
    await dev.save(next())
  })

  it('V1 knows each file that a program looked for before it failed, whenever it failed', async () => {
    const from = dev.lines.length
    const check =
      "const { existsSync } = await import('node:fs')\nconst flag = new URL(import.meta.resolve('./flag.js'))\n"
    await dev.write(`${next()}\n${check}if (!existsSync(flag)) throw new Error('no flag')`)
    await dev.printed(/no flag/, from)
    expect(await dev.save('export {}\n', 'flag.js')).toMatch(/reloaded .*flag\.js/)
    expect(await dev.call('version')).toBe(version)
    await dev.save(next())
  })

  itInFull('V1 keeps serving while the file is gone, and takes it when it is back', async () => {
    const from = dev.lines.length
    await dev.remove()
    await dev.printed(/goes on serving/, from)
    expect(await dev.call('version')).toBe(version)
    await dev.save(next())
    expect(await dev.call('version')).toBe(version)
  })

  itInFull('V1 notices a save by rename, and saves that change nothing not', async () => {
    const text = next()
    const from = dev.lines.length
    await dev.writeByRename(text)
    await dev.printed(/ reloaded /, from)
    expect(await dev.call('version')).toBe(version)
    const then = dev.lines.length
    await dev.write(text)
    await dev.save(next())
    expect(dev.lines.slice(then).filter((line) => / reloaded /.test(line))).toHaveLength(1)
  })

  itInFull('V1 runs the last of 20 saves in 2 s', async () => {
    for (let save = 0; save < 19; save += 1) {
      await dev.write(next())
      await wait(100)
    }
    const from = dev.lines.length
    await dev.write(next("server.tool('last', () => 1)\n"))
    await dev.printed(/ \+ tool last$/, from)
    expect(await dev.call('version')).toBe(version)
    // A version that is given up for a newer one never takes over.
    expect(dev.lines.filter((line) => line.includes('Restarting'))).toEqual([])
    await dev.save(next())
  })

  it('V1 restarts a server that exits later, and answers the calls of the meantime', async () => {
    await dev.save(next("server.tool('crash', () => process.exit(3))\n"))
    const from = dev.lines.length
    const crash = dev.client.callTool('crash')
    await expect(crash).rejects.toMatchObject({ code: -32_000, data: { reason: 'exited' } })
    expect(await dev.call('version')).toBe(version)
    await dev.printed(/The server exited with code 3\. Restarting in 100 ms\./, from)
    await dev.save(next())
  })

  itInFull('V2 finishes a call that ends in time at the version that began it', async () => {
    const text = "server.tool('slow', () => new Promise((resolve) => setTimeout(() => resolve(version), 300)))\n"
    await dev.save(next(text))
    const began = version
    const [answer] = await Promise.all([dev.call('slow'), dev.save(next(text))])
    expect(answer).toBe(began)
    expect(await dev.call('version')).toBe(version)
  })

  it('V2 answers a call that does not end with the reason, and runs a read-only one again', async () => {
    const stuck = (annotations: string) =>
      `{ ${annotations} }, () => (version === ${version + 1} ? new Promise(() => {}) : version))\n`
    const tools = `server.tool('stuck', ${stuck('')}server.tool('again', ${stuck('annotations: { readOnlyHint: true }')}`
    await dev.save(next(tools))
    const stuckCall = dev.client.callTool('stuck')
    stuckCall.catch(() => {})
    const again = dev.call('again')
    await dev.call('version')
    await dev.save(next(tools))
    await expect(stuckCall).rejects.toMatchObject({
      code: -32_000,
      message: expect.stringContaining('The server was reloaded while this call was running'),
      data: { reason: 'reloaded' },
    })
    expect(await again).toBe(version)
  })

  it('sees one connection from the first version to the last', () => {
    expect(dev.connection.map(({ type }) => type)).toEqual(['open'])
  })
})
