// The requests of the page: each is checked, done and answered with JSON.
import { compileSchema } from 'mcpwire/schema'
import { PROTOCOL_VERSIONS } from 'mcpwire/types'
import type { RequestName, Requests } from '../protocol/requests.ts'
import { LIST_KINDS } from '../protocol/state.ts'
import { listPage } from './connection/listings.ts'
import { type Body, readChoice, readHeaders, readMembers, readOptionalText, readText } from './http/read-body.ts'
import type { Inspector } from './inspector.ts'
import { BadRequest } from './log/bad-request.ts'
import { runTaskAction } from './work/task-actions.ts'

type Handlers = {
  readonly [Name in RequestName]: (
    inspector: Inspector,
    body: Body,
    session: string,
  ) => Promise<Requests[Name]['answer']> | Requests[Name]['answer']
}

const MODES = ['auto', 'modern', 'legacy', ...PROTOCOL_VERSIONS] as const

const HANDLERS: Handlers = {
  connect,
  disconnect: async (inspector, body) => {
    await inspector.disconnect(readText(body, 'connection'))
    return {}
  },
  reconnect: (inspector, body) => {
    const connection = inspector.find(readText(body, 'connection'))
    void connection.reopen()
    return {}
  },
  list: async (inspector, body) => {
    const connection = inspector.find(readText(body, 'connection'))
    const kind = readChoice(body, 'kind', LIST_KINDS)
    const version = connection.state.versions[kind]
    return { ...(await listPage(connection.client, kind, readOptionalText(body, 'cursor'))), version }
  },
  call: (inspector, body) => {
    const connection = inspector.find(readText(body, 'connection'))
    const kind = readChoice(body, 'kind', ['tool', 'read', 'prompt'])
    const call = {
      kind,
      name: readText(body, 'name'),
      args: readMembers(body, 'args', {}),
      asTask: body['asTask'] === true,
    }
    return { call: inspector.calls.start(connection, call) }
  },
  cancel: (inspector, body) => {
    inspector.calls.cancel(readText(body, 'call'))
    return {}
  },
  complete: async (inspector, body) => {
    const { client } = inspector.find(readText(body, 'connection'))
    const argument = readMembers(body, 'argument') as { name: string; value: string }
    const ref = readMembers(body, 'ref') as unknown as Parameters<typeof client.complete>[0]
    const context = readMembers(body, 'context', {}) as Record<string, string>
    const { completion } = await client.complete(ref, argument, context)
    return { ...completion }
  },
  listen: async (inspector, body) => {
    const connection = inspector.find(readText(body, 'connection'))
    await connection.watches.watch(connection.client, readText(body, 'uri'))
    return {}
  },
  unlisten: (inspector, body) => {
    inspector.find(readText(body, 'connection')).watches.unwatch(readText(body, 'uri'))
    return {}
  },
  answer: (inspector, body) => {
    inspector.questions.answer(readText(body, 'question'), readMembers(body, 'answer'), body['always'] === true)
    return {}
  },
  task: (inspector, body) => {
    const connection = inspector.find(readText(body, 'connection'))
    const action = readChoice(body, 'action', ['get', 'cancel', 'result'])
    return runTaskAction(inspector.calls, connection, readText(body, 'id'), action)
  },
  validate: (_inspector, body) => ({ issues: validate(body['schema'], body['value']) }),
  save: (inspector, body) => {
    const connection = inspector.find(readText(body, 'connection'))
    inspector.save(connection, readText(body, 'tool'), readMembers(body, 'args'))
    return {}
  },
  forget: (inspector, body) => {
    inspector.forget(readText(body, 'saved'))
    return {}
  },
  'forget-answer': (inspector, body) => {
    inspector.questions.forgetAnswer(readText(body, 'id'))
    return {}
  },
  claims: (inspector, body) => {
    const { claims } = inspector.find(readText(body, 'connection')).auth
    return claims === undefined ? {} : { claims }
  },
  view: (inspector, body) => {
    const connection = inspector.find(readText(body, 'connection'))
    const given = body['permissions']
    return inspector.views.open(connection, readText(body, 'tool'), {
      call: readOptionalText(body, 'call'),
      theme: readChoice(body, 'theme', ['light', 'dark']),
      permissions: Array.isArray(given) ? given.map(String) : undefined,
    })
  },
  'view-message': (inspector, body) => {
    inspector.views.receive(readText(body, 'view'), body['message'])
    return {}
  },
  'view-context': (inspector, body) => {
    inspector.views.setContext(readText(body, 'view'), readMembers(body, 'context'))
    return {}
  },
  'view-close': async (inspector, body) => {
    await inspector.views.close(readText(body, 'view'))
    return {}
  },
}

/** Throws `BadRequest` for a request that is not understood. */
export async function answerApi(inspector: Inspector, name: string, body: Body, session: string): Promise<object> {
  if (!Object.hasOwn(HANDLERS, name)) throw new BadRequest('There is no such request.', { status: 404 })
  return HANDLERS[name as RequestName](inspector, body, session)
}

async function connect(inspector: Inspector, body: Body, session: string): Promise<Requests['connect']['answer']> {
  const typed = readText(body, 'target').trim()
  const mode = readChoice(body, 'mode', MODES, 'auto')
  const headers = readHeaders(body, 'headers')
  let target: Awaited<ReturnType<typeof inspector.options.parseTarget>>
  try {
    target = await inspector.options.parseTarget(typed, headers)
  } catch (error) {
    throw new BadRequest(error instanceof Error ? error.message : String(error))
  }
  if ('command' in target) {
    const confirmation = inspector.confirmations.wantedFor(target, session, readGiven(body))
    if (confirmation !== undefined) return { confirmation }
    inspector.options.onProgram?.([target.command, ...target.args])
  }
  return { connection: inspector.connect(target, mode, typed).id }
}

function readGiven(body: Body): { question: string; key: string } | undefined {
  if (body['confirm'] === undefined) return undefined
  const given = readMembers(body, 'confirm')
  return { question: readText(given, 'question'), key: readText(given, 'key') }
}

function validate(schema: unknown, value: unknown): { path: readonly (string | number)[]; message: string }[] {
  let validator: ReturnType<typeof compileSchema>
  try {
    validator = compileSchema(schema)
  } catch (error) {
    throw new BadRequest(`The schema can't be used: ${error instanceof Error ? error.message : String(error)}`)
  }
  return validator
    .validate(value)
    .slice(0, MAX_ISSUES)
    .map(({ path, message, keyword }) => ({
      path: keyword === 'required' ? [...path, ...missingIn(message)] : [...path],
      message,
    }))
}

const MAX_ISSUES = 100

/** A member that is missing has a field of its own in a form, where its issue is shown. */
function missingIn(message: string): string[] {
  const name = /missing required property ("(?:[^"\\]|\\.)*")$/.exec(message)?.[1]
  return name === undefined ? [] : [JSON.parse(name) as string]
}
