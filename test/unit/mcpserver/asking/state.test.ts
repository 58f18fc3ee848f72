// The state of a call between its rounds: whose word it is, how much of it there may be, and where the rest goes.
import { describe, expect, it, vi } from 'vitest'
import type { InteractionStore } from '../../../../src/mcpserver/asking/options.ts'
import { requestStateBoundary } from '../../../../src/server/state/boundary.ts'
import { createRequestStateSeal } from '../../../../src/server/state/request-state.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { settle } from '../../../support/peers.ts'
import { ANSWERING, accept, NAME_FORM, type Run, readValue, round, sealed, serve } from './support.ts'

const ADA = accept({ name: 'Ada' })
const REFUSAL = { code: -32602, message: 'Invalid or expired requestState', data: { reason: 'invalid_request_state' } }

/** Asks, with a step before and a step after. */
function createRun() {
  const steps = { before: vi.fn(() => 'before'), after: vi.fn(() => 'after') }
  const run: Run = async (interaction) => {
    const before = await interaction.step('before', steps.before)
    const answer = await interaction.elicit('Who?', NAME_FORM)
    return [before, answer, await interaction.step('after', steps.after)]
  }
  return { run, steps }
}

function createStore() {
  const kept = new Map<string, string>()
  const store: InteractionStore = {
    get: async (id) => kept.get(id),
    set: async (id, state) => void kept.set(id, state),
    delete: async (id) => void kept.delete(id),
  }
  return { kept, store }
}

describe('a state that is not encrypted comes from the client and is not trusted', () => {
  const digest = 'x'.repeat(43)
  it.each([
    ['not JSON', 'nonsense'],
    ['nothing', ''],
    ['not an object', '[1]'],
    ['null', 'null'],
    ['another version', '{"v":2,"q":[],"s":[]}'],
    ['no questions', '{"v":1,"s":[]}'],
    ['questions that are no list', '{"v":1,"q":{},"s":[]}'],
    ['no steps', '{"v":1,"q":[]}'],
    ['a question that is no pair', '{"v":1,"q":["x"],"s":[]}'],
    ['a question of three', `{"v":1,"q":[["${digest}",{},{}]],"s":[]}`],
    ['a digest that is no text', '{"v":1,"q":[[7]],"s":[]}'],
    ['an answer that is no object', `{"v":1,"q":[["${digest}",7]],"s":[]}`],
    ['an answer that is null', `{"v":1,"q":[["${digest}",null]],"s":[]}`],
    ['a step without a name', '{"v":1,"q":[],"s":[[]]}'],
    ['inherited members', '{"__proto__":{"v":1,"q":[],"s":[]}}'],
    ['more questions than may be asked', `{"v":1,"q":[${Array(9).fill('null').join()}],"s":[]}`],
    ['too much of it', `{"v":1,"q":[],"s":[["x","${'y'.repeat(20_000)}"]]}`],
    ['endless nesting', `{"v":1,"q":[],"s":[["before",${'['.repeat(8000)}${']'.repeat(8000)}]]}`],
    ['a reference without a store', '{"ref":"0b0a3c5e-9a3b-4f0e-8e57-0123456789ab"}'],
  ])('F099 it is refused in the same words, whatever is wrong: %s', async (_what, state) => {
    const { run, steps } = createRun()
    const { server, faults } = serve(run, { maxQuestions: 8 })
    await using client = await connect(server, ANSWERING)
    await expect(round(client, state)).rejects.toMatchObject(REFUSAL)
    expect(steps.before).not.toHaveBeenCalled()
    expect(faults).toEqual([])
  })

  it('F099 the handler can not continue by catching the rejection', async () => {
    const { server } = serve(async (interaction) => {
      await interaction.elicit('Who?', NAME_FORM).catch(() => {})
      return 'went on'
    })
    await using client = await connect(server, ANSWERING)
    await expect(round(client, 'nonsense')).rejects.toMatchObject(REFUSAL)
  })

  it('answers in the state are checked against the question as well', async () => {
    const { run } = createRun()
    const { server } = serve(run)
    await using client = await connect(server, ANSWERING)
    const { requestState } = await round(client)
    const forged = requestState.replace(/\["([^"]{43})"\]/, '["$1",{"action":"accept","content":{"name":7}}]')
    expect(forged).not.toBe(requestState)
    await expect(round(client, forged)).rejects.toMatchObject({ code: -32602, data: { key: 'q1' } })
  })

  it.each([
    ['as it came', (state: string) => state],
    ['written in another way', (state: string) => JSON.stringify(JSON.parse(state), null, 1)],
  ])(
    'answers stay what the client sent, round after round, whatever the handler does to them: a state %s',
    async (_how, back) => {
      const names = ['a', 'b', 'c', 'd']
      const { server } = serve(async (interaction) => {
        const seen = []
        for (const name of names) {
          const answer = await interaction.elicit(name, NAME_FORM)
          seen.push({ ...answer.content })
          if (answer.action === 'accept') answer.content['name'] = 'changed'
          if (name === 'b') await interaction.step('half', () => 'way')
        }
        return seen
      })
      await using client = await connect(server, ANSWERING)
      let last = await round(client)
      for (const [index, name] of names.entries()) {
        const { q, s } = JSON.parse(last.requestState)
        const answered = names.slice(0, index).map((each) => accept({ name: each }))
        expect(q.map(([, answer]: unknown[]) => answer)).toEqual([...answered, undefined])
        expect(s).toEqual(index > 1 ? [['half', 'way']] : [])
        last = await round(client, back(last.requestState), { [`q${index + 1}`]: accept({ name }) })
      }
      expect(last.value).toEqual(names.map((name) => ({ name })))
    },
  )

  it('names from the prototype are names of steps like any other', async () => {
    const { server } = serve(async (interaction) => {
      const steps = ['__proto__', 'constructor', 'toString'].map((name) => interaction.step(name, () => name))
      return [...(await Promise.all(steps)), await interaction.elicit('Who?', NAME_FORM)]
    })
    await using client = await connect(server, ANSWERING)
    expect(readValue(await client.callTool('tool'))).toEqual([
      '__proto__',
      'constructor',
      'toString',
      accept({ name: 'name of Who?' }),
    ])
  })

  it('text that is not valid Unicode is kept', async () => {
    const lone = 'a\ud800b'
    const { server } = serve(async (interaction) => {
      const step = await interaction.step(lone, () => lone)
      const answer = await interaction.elicit(lone, NAME_FORM)
      await interaction.listRoots()
      return step === lone && answer.action === 'accept' && answer.content['name'] === lone
    })
    await using client = await connect(server, { ...ANSWERING, onElicitation: () => accept({ name: lone }) })
    expect(readValue(await client.callTool('tool'))).toBe(true)
  })
})

describe('a state that is encrypted', () => {
  it('F099 is rejected when it was changed, and the handler does not run', async () => {
    const { run, steps } = createRun()
    const { server } = serve(run, {}, [sealed])
    await using client = await connect(server, ANSWERING)
    const { requestState } = await round(client)
    const last = requestState.at(-1) === 'A' ? 'B' : 'A'
    await expect(round(client, `${requestState.slice(0, -1)}${last}`, { q1: ADA })).rejects.toMatchObject(REFUSAL)
    await expect(round(client, '{"v":1,"q":[],"s":[]}')).rejects.toMatchObject(REFUSAL)
    expect(steps.before).toHaveBeenCalledTimes(1)
    expect((await round(client, requestState, { q1: ADA })).value).toEqual(['before', ADA, 'after'])
  })

  it('F100 can be limited to one use, so that two calls at the same time run a step once', async () => {
    const { run, steps } = createRun()
    const spent = new Set<string>()
    const redeem = (id: string) => spent.size < spent.add(id).size
    const once = requestStateBoundary(createRequestStateSeal({ audience: 'tests', redeem }))
    const { server } = serve(run, {}, [once])
    await using client = await connect(server, ANSWERING)
    const { requestState } = await round(client)
    const retries = [round(client, requestState, { q1: ADA }), round(client, requestState, { q1: ADA })]
    const outcomes = await Promise.allSettled(retries)
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(steps.after).toHaveBeenCalledTimes(1)
  })

  it('F098 the client stops a handler that asks without end, where each question is a new one', async () => {
    const onElicitation = vi.fn(() => ADA)
    const { server } = serve(
      async (interaction) => {
        for (;;) await interaction.elicit('Again?', NAME_FORM)
      },
      {},
      [sealed],
    )
    await using client = await connect(server, { ...ANSWERING, onElicitation, inputRequiredMaxRounds: 4 })
    await expect(client.callTool('tool')).rejects.toMatchObject({ rounds: 4 })
    expect(onElicitation).toHaveBeenCalledTimes(4)
  })
})

describe('a state that is too large for requestState', () => {
  const large = 'x'.repeat(500)
  const run: Run = async (interaction) => {
    const step = await interaction.step('large', () => large)
    const first = await interaction.elicit('First?', NAME_FORM)
    const second = await interaction.elicit('Second?', NAME_FORM)
    return [step.length, first, second]
  }

  it('goes to the store, and only its id to the client', async () => {
    const { kept, store } = createStore()
    const { server } = serve(run, { maxStateBytes: 256, store })
    await using client = await connect(server, ANSWERING)

    const first = await round(client)
    expect(JSON.parse(first.requestState)).toEqual({ ref: [...kept.keys()][0] })
    const second = await round(client, first.requestState, { q1: ADA })
    await settle()
    // The next round has an id of its own, and the one before is gone.
    expect(JSON.parse(second.requestState)).toEqual({ ref: [...kept.keys()][0] })
    expect(second.requestState).not.toBe(first.requestState)
    expect(kept.size).toBe(1)
    expect((await round(client, second.requestState, { q2: ADA })).value).toEqual([500, ADA, ADA])
    await settle()
    expect(kept.size).toBe(0)
  })

  it('is rejected when the store does not have it, and only ids made by the server are looked up', async () => {
    const { store } = createStore()
    const get = vi.fn(store.get)
    const { server } = serve(run, { maxStateBytes: 256, store: { ...store, get } })
    await using client = await connect(server, ANSWERING)
    await expect(round(client, JSON.stringify({ ref: crypto.randomUUID() }))).rejects.toMatchObject(REFUSAL)
    expect(get).toHaveBeenCalledTimes(1)
    await expect(round(client, '{"ref":"sessions:admin"}')).rejects.toMatchObject(REFUSAL)
    await expect(round(client, '{"ref":7}')).rejects.toMatchObject(REFUSAL)
    expect(get).toHaveBeenCalledTimes(1)
  })

  it('fails the call when the store fails to save or load it, with a report to the author', async () => {
    const failing = async () => {
      throw new Error('the store is down')
    }
    const { store } = createStore()
    for (const broken of [
      { ...store, set: failing },
      { ...store, get: failing },
    ]) {
      const { server, faults } = serve(run, { maxStateBytes: 256, store: broken })
      await using client = await connect(server, { ...ANSWERING, raiseExceptions: false })
      await expect(client.callTool('tool')).rejects.toMatchObject({ code: -32603 })
      expect(faults).toMatchObject([{ kind: 'handler-failed', error: { message: 'the store is down' } }])
    }
  })

  it('only reports a fault when the store fails to delete it', async () => {
    const { store } = createStore()
    const fail = () => {
      throw new Error('the store is down')
    }
    const { server, faults } = serve(run, { maxStateBytes: 256, store: { ...store, delete: fail } })
    await using client = await connect(server, ANSWERING)
    const answer = accept({ name: 'name of First?' })
    expect(readValue(await client.callTool('tool'))).toEqual([500, answer, accept({ name: 'name of Second?' })])
    expect(faults).toMatchObject([{ kind: 'callback-failed' }, { kind: 'callback-failed' }])
  })
})
