// Checking messages: which error a bad one meets, what its message gives away, and what a client forgives.
import { describe, expect, it } from 'vitest'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import { LEGACY_VERSIONS, PROTOCOL_VERSIONS, type ProtocolVersion } from '../../../src/types/protocol/versions.ts'
import {
  type CheckResultOptions,
  checkNotification,
  checkRequest,
  checkResult,
  sieveParams,
  sieveResult,
} from '../../../src/wire/check.ts'
import { RELAXATIONS } from '../../../src/wire/relaxations.ts'
import { grammarOf } from '../../../src/wire/shapes/grammar.ts'

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

function caught(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

function refusal(act: () => unknown): MCPError {
  const error = caught(act)
  expect(error).toBeInstanceOf(MCPError)
  return error as MCPError
}

describe('checkRequest', () => {
  it('passes what fits', () => {
    for (const version of LEGACY_VERSIONS) checkRequest('tools/call', version, { name: 'add' }, 'client')
    checkRequest('tools/call', '2026-07-28', { name: 'add', arguments: { a: 1 }, _meta: ENVELOPE }, 'client')
    checkRequest('sampling/createMessage', '2025-11-25', { messages: [], maxTokens: 1 }, 'server')
  })

  it('takes absent params for empty ones', () => {
    checkRequest('tools/list', '2025-11-25', undefined, 'client')
    checkRequest('ping', '2024-11-05', undefined, 'server')
    const { code, message } = refusal(() => checkRequest('tools/call', '2025-11-25', undefined, 'client'))
    expect([code, message]).toEqual([-32602, 'Invalid params for tools/call: name: expected string, got nothing'])
  })

  it('says where and why params do not fit', () => {
    const params = { name: 5, _meta: ENVELOPE }
    const { code, message, data } = refusal(() => checkRequest('tools/call', '2026-07-28', params, 'client'))
    expect([code, message, data]).toEqual([
      -32602,
      'Invalid params for tools/call: name: expected string, got number',
      undefined,
    ])
  })

  it('asks for the envelope at 2026-07-28', () => {
    const { code, message } = refusal(() => checkRequest('tools/list', '2026-07-28', {}, 'client'))
    expect([code, message]).toEqual([-32602, 'Invalid params for tools/list: _meta: expected object, got nothing'])
  })

  it.each([
    ['initialize', '2026-07-28', 'client'],
    ['ping', '2026-07-28', 'client'],
    ['server/discover', '2025-11-25', 'client'],
    ['elicitation/create', '2025-03-26', 'server'],
    ['elicitation/create', '2026-07-28', 'server'],
    ['tools/call', '2025-11-25', 'server'],
    ['roots/list', '2025-11-25', 'client'],
    ['notifications/cancelled', '2025-11-25', 'client'],
    ['acme/frobnicate', '2025-11-25', 'client'],
  ] as const)('does not find %s at %s from the %s', (method, version, from) => {
    const { code, message } = refusal(() => checkRequest(method, version, {}, from))
    expect([code, message]).toEqual([-32601, `Method not found: ${method} (protocol revision ${version})`])
  })

  it('F054 echoes at most 128 characters of a method', () => {
    const { code, message } = refusal(() => checkRequest('x'.repeat(1_000_000), '2025-11-25', {}, 'client'))
    expect(code).toBe(-32601)
    expect(message).toContain('x'.repeat(128))
    expect(message.length).toBeLessThan(200)
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'F055 a method named %s is not found',
    (method) => {
      for (const version of PROTOCOL_VERSIONS) {
        expect(refusal(() => checkRequest(method, version, {}, 'client')).code).toBe(-32601)
        expect(refusal(() => checkNotification(method, version, {}, 'client')).code).toBe(-32601)
        expect(refusal(() => checkResult(method, version, {})).code).toBe(-32601)
      }
    },
  )

  it.each([
    ['array', []],
    ['string', 'name'],
    ['null', null],
  ])('F056 params that are %s', (type, params) => {
    for (const version of PROTOCOL_VERSIONS) {
      const { code, message } = refusal(() => checkRequest('tools/call', version, params, 'client'))
      expect([code, message]).toEqual([-32602, `Invalid params for tools/call: expected object, got ${type}`])
    }
  })

  it('F066 unknown members are allowed', () => {
    checkRequest('tools/call', '2025-11-25', { name: 'a', future: [1], _meta: { 'com.example/x': 1 } }, 'client')
    checkResult('tools/call', '2025-11-25', { content: [{ type: 'text', text: '', future: 1 }], future: {} })
  })
})

describe('checkNotification', () => {
  it('passes what fits and refuses what does not', () => {
    checkNotification('notifications/cancelled', '2026-07-28', { requestId: 1 }, 'client')
    checkNotification('notifications/initialized', '2025-11-25', undefined, 'client')
    const { code, message } = refusal(() => checkNotification('notifications/cancelled', '2026-07-28', {}, 'server'))
    expect([code, message]).toEqual([
      -32602,
      'Invalid params for notifications/cancelled: requestId: expected string or integer, got nothing',
    ])
  })

  it('knows that a modern client reports no progress', () => {
    const params = { progressToken: 1, progress: 0.5 }
    checkNotification('notifications/progress', '2025-11-25', params, 'client')
    checkNotification('notifications/progress', '2026-07-28', params, 'server')
    expect(refusal(() => checkNotification('notifications/progress', '2026-07-28', params, 'client')).code).toBe(-32601)
  })
})

describe('checkResult', () => {
  const complaint = (method: string, version: ProtocolVersion, result: unknown, options?: CheckResultOptions) => {
    const error = caught(() => checkResult(method, version, result, options))
    expect(error).toBeInstanceOf(InvalidResultError)
    return error as InvalidResultError
  }

  it('F069 says where a result does not fit, and nothing of what it holds', () => {
    const { path, message } = complaint('tools/call', '2025-11-25', { content: [{ type: 'text', text: ['hunter2'] }] })
    expect(path).toBe('content[0].text')
    expect(message).toBe('Invalid result of tools/call: content[0].text: expected string, got array')
  })

  it('F069 names the allowed kinds of content', () => {
    const { path, message } = complaint('tools/call', '2024-11-05', { content: [{ type: 'audio' }] })
    expect(path).toBe('content[0].type')
    expect(message).toContain('expected "text" or "image" or "resource", got another string')
  })

  it.each([null, [], 'done', 5, undefined])('F069 refuses %j as a result', (result) => {
    for (const version of PROTOCOL_VERSIONS) expect(complaint('tools/call', version, result).path).toBe('')
  })

  it('takes an empty result for an empty one', () => {
    expect(checkResult('ping', '2025-11-25', {})).toBe('complete')
  })

  describe('at 2026-07-28', () => {
    const asking = { resultType: 'input_required', requestState: 's' }

    it('tells a request for input from an answer', () => {
      for (const method of ['tools/call', 'prompts/get', 'resources/read']) {
        expect(checkResult(method, '2026-07-28', asking)).toBe('input_required')
      }
      expect(checkResult('tools/call', '2026-07-28', { resultType: 'complete', content: [] })).toBe('complete')
    })

    it('refuses a request for input that asks for nothing, or comes where none may', () => {
      expect(complaint('tools/call', '2026-07-28', { resultType: 'input_required' }).message).toBe(
        'Invalid result of tools/call: expected an object with inputRequests or requestState, got neither',
      )
      expect(complaint('tools/list', '2026-07-28', asking).message).toBe(
        'Invalid result of tools/list: resultType: expected "complete", got another string',
      )
    })

    it('refuses a result type that nobody announced', () => {
      const { path, message } = complaint('tools/call', '2026-07-28', { resultType: 'task', taskId: 't' })
      expect(path).toBe('resultType')
      expect(message).toContain('expected "complete" or "input_required", got another string')
    })

    it('hands an announced result type to whoever announced it', () => {
      const claims = new Set(['task'])
      expect(checkResult('tools/call', '2026-07-28', { resultType: 'task' }, { claims })).toBe('claimed')
      expect(complaint('tools/call', '2026-07-28', { resultType: 'other' }, { claims }).path).toBe('resultType')
    })

    it('refuses a result type that is no string', () => {
      expect(complaint('tools/call', '2026-07-28', { resultType: 5, content: [] }).path).toBe('resultType')
    })

    it('does not mind resultType before there was one', () => {
      expect(checkResult('tools/call', '2025-11-25', { resultType: 'whatever', content: [] })).toBe('complete')
    })
  })

  describe('forgives', () => {
    const listing = { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'public' }

    it.each([
      ['a missing resultType', { ...listing, resultType: undefined }],
      ['missing caching hints', { resultType: 'complete', tools: [] }],
      ['a negative ttlMs', { ...listing, ttlMs: -1 }],
      ['a malformed stamp of the server', { ...listing, _meta: { 'io.modelcontextprotocol/serverInfo': 'me' } }],
    ])('%s, though the grammar does not', (_fault, result) => {
      expect(grammarOf('2026-07-28').misfit('ListToolsResult', result)).toBeDefined()
      expect(checkResult('tools/list', '2026-07-28', result)).toBe('complete')
    })

    it.each([
      ['ttlMs', { ...listing, ttlMs: 'long' }],
      ['cacheScope', { ...listing, cacheScope: 'everyone' }],
      ['tools', { ...listing, tools: undefined }],
      ['_meta', { ...listing, _meta: 5 }],
    ])('nothing else: %s', (path, result) => {
      expect(complaint('tools/list', '2026-07-28', result).path).toBe(path)
    })

    it('still needs the subscription id when a listen stream ends', () => {
      expect(complaint('subscriptions/listen', '2026-07-28', { _meta: {} }).path).toBe(
        '_meta["io.modelcontextprotocol/subscriptionId"]',
      )
    })

    it('with a reason each', () => {
      for (const { reason, shapes } of RELAXATIONS) {
        expect(reason).toMatch(/\.$/)
        expect(shapes.some((name) => grammarOf('2026-07-28').has(name))).toBe(true)
      }
    })
  })

  describe('of a call that asked to be a task (2025-11-25)', () => {
    const task = { taskId: 't', status: 'working', createdAt: '', lastUpdatedAt: '', ttl: null }

    it('may be a task or the answer itself', () => {
      expect(checkResult('tools/call', '2025-11-25', { task }, { asTask: true })).toBe('task')
      expect(checkResult('tools/call', '2025-11-25', { content: [] }, { asTask: true })).toBe('complete')
      expect(complaint('tools/call', '2025-11-25', { task: {} }, { asTask: true }).path).toBe('task.taskId')
    })

    it('is no task where none was asked for, or none can be', () => {
      expect(complaint('tools/call', '2025-11-25', { task }).path).toBe('content')
      expect(complaint('tools/list', '2025-11-25', { task }, { asTask: true }).path).toBe('tools')
      expect(complaint('tools/call', '2025-06-18', { task }, { asTask: true }).path).toBe('content')
    })
  })
})

describe('sieving', () => {
  it('takes out of params what the revision does not have', () => {
    const params = { name: 'add', task: { ttl: 1 }, requestState: 's' }
    expect(sieveParams('tools/call', '2025-06-18', params)).toEqual({ name: 'add' })
    expect(sieveParams('tools/call', '2026-07-28', params)).toEqual({ name: 'add', requestState: 's' })
    const progress = { progressToken: 1, progress: 1, message: 'done' }
    expect(sieveParams('notifications/progress', '2024-11-05', progress)).toEqual({ progressToken: 1, progress: 1 })
    expect(sieveParams('notifications/progress', '2025-03-26', progress)).toBe(progress)
  })

  it('keeps extensions in a handshake', () => {
    const params = {
      protocolVersion: '2025-11-25',
      clientInfo: { name: 'n', version: '1', icons: [] },
      capabilities: { extensions: { 'com.example/x': {} }, elicitation: {} },
    }
    expect(sieveParams('initialize', '2025-03-26', params)).toEqual({
      protocolVersion: '2025-11-25',
      clientInfo: { name: 'n', version: '1' },
      capabilities: { extensions: { 'com.example/x': {} } },
    })
  })

  it('takes out of a result what the revision does not have, by its kind', () => {
    const listing = { tools: [{ name: 'a', inputSchema: { type: 'object' }, execution: {} }], ttlMs: 5 }
    expect(sieveResult('tools/list', '2026-07-28', listing).tools[0]).not.toHaveProperty('execution')
    expect(sieveResult('tools/list', '2025-11-25', listing)).toEqual({ tools: listing.tools })
    const asking = {
      resultType: 'input_required',
      inputRequests: { r: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1, task: {} } } },
    }
    expect(sieveResult('tools/call', '2026-07-28', asking).inputRequests.r.params).toEqual({
      messages: [],
      maxTokens: 1,
    })
  })

  it('leaves alone what it has no row for', () => {
    const value = { resultType: 'x', task: {} }
    expect(sieveResult('acme/frobnicate', '2024-11-05', value)).toBe(value)
    expect(sieveParams('constructor', '2024-11-05', value)).toBe(value)
    expect(sieveResult('tools/call', '2026-07-28', value)).toBe(value)
  })
})
