// Nodes on one backend: their names, their records, and the messages between them.
import { afterEach, describe, expect, test } from 'vitest'
import { type Fault, FaultReporter } from '../../../../src/dispatcher/fault.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { type ClusterNode, startNode } from '../../../../src/server/cluster/cluster-node.ts'
import type { JSONValue } from '../../../../src/types/protocol/json.ts'
import { faultyBackend } from '../../../cluster/faulty-backend.ts'

const nodes: ClusterNode[] = []
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.close()))
})

function cluster() {
  const backend = faultyBackend()
  const faults: Fault[] = []
  const start = async () => {
    const node = await startNode(backend, new FaultReporter((fault) => void faults.push(fault)))
    nodes.push(node)
    return node
  }
  return { backend, faults, start }
}

/** Resolves with the next message of a kind. */
function next(node: ClusterNode, kind: string): Promise<{ body: JSONValue; from: string }> {
  const { promise, resolve } = createDeferred<{ body: JSONValue; from: string }>()
  const stop = node.on(kind, (body, from) => {
    stop()
    resolve({ body, from })
    return undefined
  })
  return promise
}

describe('a node', () => {
  test('has a name of 12 characters, another one with each start, and a record while it runs', async () => {
    const { backend, start } = cluster()
    const [one, other] = [await start(), await start()]
    expect(one.id).toMatch(/^[\w-]{12}$/)
    expect(other.id).not.toBe(one.id)
    expect(JSON.parse(backend.peek(`n.${one.id}`)?.value ?? '')).toMatchObject({ v: 1, isDraining: false })
    expect(await other.isAlive(one.id)).toBe(true)
    await one.close()
    expect(backend.peek(`n.${one.id}`) !== undefined).toBe(false)
    expect(await other.isAlive(one.id)).toBe(false)
    expect(await other.isAlive('x'.repeat(5_000))).toBe(false)
  })

  test('says in its record that it drains', async () => {
    const { backend, start } = cluster()
    const node = await start()
    await node.drain()
    expect(JSON.parse(backend.peek(`n.${node.id}`)?.value ?? '')).toMatchObject({ isDraining: true })
  })

  test('gives each name once', async () => {
    const { start } = cluster()
    const node = await start()
    expect([node.nextName(), node.nextName()]).toEqual([`${node.id}.1`, `${node.id}.2`])
  })

  test('starts although the engine does not answer, and reports it once', async () => {
    const { backend, faults, start } = cluster()
    backend.isDown = true
    const node = await start()
    await node.drain()
    expect(faults.map(({ message }) => message)).toEqual([
      'The record of this node could not be renewed. Other nodes may take it for lost.',
    ])
  })
})

describe('messages between nodes', () => {
  test('go to one node, in order', async () => {
    const { start } = cluster()
    const [one, other, third] = [await start(), await start(), await start()]
    const heard: JSONValue[] = []
    other.on('note', (body) => void heard.push(body))
    third.on('note', () => void heard.push('third'))
    const last = next(other, 'last')
    for (let i = 0; i < 5; i += 1) void one.send(other.id, 'note', i)
    await one.send(other.id, 'last', { text: 'bye' })
    expect(await last).toEqual({ body: { text: 'bye' }, from: one.id })
    expect(heard).toEqual([0, 1, 2, 3, 4])
  })

  test('go to all other nodes, and not to the sender', async () => {
    const { start } = cluster()
    const [one, other, third] = [await start(), await start(), await start()]
    const own = next(one, 'all')
    const heard = Promise.all([next(other, 'all'), next(third, 'all')])
    await one.broadcast('all', 'x')
    expect((await heard).map(({ from }) => from)).toEqual([one.id, one.id])
    await one.close()
    expect(await Promise.race([own, Promise.resolve('nothing')])).toBe('nothing')
  })

  test('are answered with a receipt', async () => {
    const { start } = cluster()
    const [one, other] = [await start(), await start()]
    other.on('add', (body) => (body as number[])[0]! + (body as number[])[1]!)
    other.on('later', async () => ({ done: true }))
    expect(await one.ask(other.id, 'add', [2, 3], 10_000)).toBe(5)
    expect(await one.ask(other.id, 'later', null, 10_000)).toEqual({ done: true })
  })

  test('have no receipt from a node that is gone, that knows no such kind, or that is none', async () => {
    const { start } = cluster()
    const [one, other] = [await start(), await start()]
    expect(await one.ask('aaaaaaaaaaaa', 'add', null, 1)).toBeUndefined()
    expect(await one.ask(other.id, 'add', null, 1)).toBeUndefined()
    expect(await one.ask('n.aaaaaaaaaaa:*', 'add', null, 1)).toBeUndefined()
    expect(other.ignored).toBe(1)
  })

  test('wait for no receipt once the node closes', async () => {
    const { start } = cluster()
    const one = await start()
    const asked = one.ask('aaaaaaaaaaaa', 'add', null, 600_000)
    await one.close()
    expect(await asked).toBeUndefined()
  })

  test('that cannot be published are rejected with a BackendError', async () => {
    const { backend, start } = cluster()
    const one = await start()
    backend.isDown = true
    await expect(one.send('aaaaaaaaaaaa', 'note', null)).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(one.ask('aaaaaaaaaaaa', 'note', null, 1)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('above the size of a topic travel by records, which are deleted afterwards', async () => {
    const { backend, start } = cluster()
    const [one, other] = [await start(), await start()]
    // The parts are cut in the middle of a pair of surrogates: none of them may lose a half.
    const text = `x${'😀'.repeat(700_000)}`
    const arrived = next(other, 'large')
    await one.send(other.id, 'large', text)
    expect((await arrived).body === text).toBe(true)
    const published = backend.trips.filter((trip) => trip.startsWith('records.put m.'))
    expect(published.length).toBe(6)
    await expect.poll(() => backend.keys().filter((key) => key.startsWith('m.'))).toEqual([])
  })

  test('D050: a text of a stranger on a topic is ignored and counted, whatever it is', async () => {
    const { backend, faults, start } = cluster()
    const node = await start()
    const heard: JSONValue[] = []
    node.on('note', (body) => void heard.push(body))
    const valid = { v: 1, kind: 'note', from: 'aaaaaaaaaaaa', body: 'x' }
    const hostile = [
      '',
      'null',
      '[]',
      '{',
      '['.repeat(100_000),
      JSON.stringify({ ...valid, v: 2 }),
      JSON.stringify({ ...valid, kind: 'x'.repeat(100) }),
      JSON.stringify({ ...valid, from: '../../../etc' }),
      JSON.stringify({ ...valid, from: undefined }),
      JSON.stringify({ ...valid, receipt: -1 }),
      JSON.stringify({ ...valid, receipt: 1.5 }),
      JSON.stringify({ ...valid, body: 'x'.repeat(500_000) }),
      '{"large":"aaaaaaaaaaaaaaaaaaaaaa","parts":1}',
      '{"large":"aaaaaaaaaaaaaaaaaaaaaa","parts":1000000}',
      '{"large":"n.*","parts":1}',
    ]
    for (const text of hostile) backend.inject(`n.${node.id}`, text)
    await expect.poll(() => node.ignored).toBe(hostile.length)
    backend.inject(`n.${node.id}`, JSON.stringify(valid))
    await expect.poll(() => heard).toEqual(['x'])
    expect(faults.every(({ kind }) => kind === 'invalid-message')).toBe(true)
  })

  test('of an unknown kind, and receipts that nobody waits for, change nothing', async () => {
    const { start } = cluster()
    const [one, other] = [await start(), await start()]
    await one.send(other.id, 'receipt', 'x')
    await one.send(other.id, 'from-the-future', {})
    await expect.poll(() => other.ignored).toBe(1)
  })

  test('whose handler throws cost only themselves', async () => {
    const { faults, start } = cluster()
    const [one, other] = [await start(), await start()]
    other.on('bad', () => {
      throw new Error('broken')
    })
    other.on('bad', async () => {
      throw new Error('broken later')
    })
    other.on('bad', () => 'fine')
    expect(await one.ask(other.id, 'bad', null, 10_000)).toBe('fine')
    await expect.poll(() => faults.length).toBe(2)
  })

  test('that may have been lost are reported to those who want to know', async () => {
    const { backend, start } = cluster()
    const node = await start()
    let missed = 0
    const stop = node.onMissed(() => {
      missed += 1
    })
    backend.breakTopics()
    stop()
    backend.breakTopics()
    // One for the inbox, one for the topic of all nodes.
    expect(missed).toBe(2)
  })
})
