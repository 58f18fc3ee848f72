// Middleware around what a server asks, on either side.
import { expect } from 'vitest'
import type { ClientMiddleware, ClientQuestionMiddleware } from '../../../src/client/session/middleware.ts'
import type { Middleware } from '../../../src/server/handlers.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { requirement } from '../kit/requirement.ts'
import { accept, createServer, NAME_FORM, refusalOf, textsOf } from '../kit/support-mcpserver.ts'

/** A server whose `tool` answers with the name that it was told. */
function askingServer(middleware: Middleware[] = []) {
  const made = createServer({ middleware })
  made.server.tool('tool', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('Who?', NAME_FORM)
    return answer.action === 'accept' ? String(answer.content.name) : answer.action
  })
  return made
}

requirement('middleware:server:around-sending', async ({ connect }) => {
  const order: string[] = []
  const layer =
    (name: string): Middleware =>
    (ctx, next) => {
      ctx.aroundSending(async (method, params, send) => {
        order.push(`${name} ${method}`)
        const result = await send({
          ...params,
          _meta: { [`com.example/${name}`]: true, ...(params?.['_meta'] as object) },
        })
        order.push(`${name} ${String(result['action'])}`)
        return result
      })
      return next()
    }
  const metas: unknown[] = []
  const { server } = askingServer([layer('a'), layer('b')])
  await using client = await connect(server, {
    onElicitation: (_params, { meta }) => {
      metas.push(meta)
      return accept('Ada')
    },
  })
  expect(textsOf(await client.callTool('tool'))).toEqual(['Ada'])
  expect(order).toEqual(['a elicitation/create', 'b elicitation/create', 'b accept', 'a accept'])
  expect(metas).toEqual([{ 'com.example/a': true, 'com.example/b': true }])
})

requirement('middleware:client:questions', async ({ connect, isModern }) => {
  const seen: unknown[] = []
  const around = (onQuestion: ClientQuestionMiddleware): ClientMiddleware =>
    Object.assign(((_ctx, next) => next()) satisfies ClientMiddleware, { onQuestion })
  const call = async (...layers: ClientQuestionMiddleware[]) => {
    await using client = await connect(askingServer().server, {
      middleware: layers.map(around),
      onElicitation: () => accept('Ada'),
    })
    return textsOf(await client.callTool('tool'))
  }

  const note =
    (name: string): ClientQuestionMiddleware =>
    async (ctx, next) => {
      seen.push([name, ctx.method, ctx.params?.['message'], ctx.isRequest])
      return next()
    }
  expect(await call(note('a'), note('b'))).toEqual(['Ada'])
  expect(seen).toEqual(['a', 'b'].map((name) => [name, 'elicitation/create', 'Who?', !isModern]))
  expect(await call(() => accept('Bob'))).toEqual(['Bob'])

  const refuse = () => {
    throw new MCPError(403, 'nobody is asked')
  }
  // Asked by a request, the refusal is an answer to the server, and the tool fails by it.
  const outcomeOf = (answer: ClientQuestionMiddleware) => (isModern ? refusalOf(call(answer)) : call(answer))
  const failed = ['The tool "tool" failed']
  expect(await outcomeOf(refuse)).toMatchObject(isModern ? { code: 403, message: 'nobody is asked' } : failed)
  for (const answer of [{ action: 'perhaps' }, undefined]) {
    const outcome = await outcomeOf(() => answer as never)
    const message = expect.stringContaining("The callback for 'elicitation/create' returned an invalid result: ")
    expect(outcome).toMatchObject(isModern ? { message } : failed)
  }
})
