// What the author of a client extension writes.
import type {
  ClaimContext,
  ClientExtension,
  ClientExtensionFilter,
  ClientExtensionRequest,
  NotificationContext,
  Subscription,
} from 'mcpwire/client'

const get: ClientExtensionRequest = { protocolVersions: ['2026-07-28'], nameParam: 'jobId', isValid: () => true }
const jobIds: ClientExtensionFilter = { notification: 'com.example/job', keyParam: 'jobId' }

async function finish(context: ClaimContext): Promise<void> {
  const { session, toolName, signal, options } = context
  const left: number | undefined = options.maxTotalMs
  const always: AbortSignal = signal
  options.onProgress?.({ progress: 1 })
  options.onStatus?.({ taskId: 't', status: 'working', createdAt: '', lastUpdatedAt: '', ttlMs: null })
  await session.sendRequest('com.example/get', { jobId: 'a' }, options)
  const answers = context.ask({ who: { method: 'roots/list' } })
  await context.checkResult({ content: [] })
  console.log(toolName, left, always, await answers.get('who'))
  // @ts-expect-error: the id belonged to the first request
  console.log(options.requestId)
}

const extension: ClientExtension = {
  identifier: 'com.example/jobs',
  requests: { 'tasks/get': get },
  filters: { jobIds },
  claims: [
    {
      resultType: 'com.example/job',
      async resolve(_result, context) {
        await finish(context)
        return { content: [] }
      },
    },
  ],
  notifications: [
    {
      method: 'com.example/job',
      handle(_params, context: NotificationContext) {
        const subscription: Subscription | undefined = context.subscription
        console.log(subscription?.honored.toolsListChanged)
      },
    },
  ],
}
console.log(extension)

// @ts-expect-error: a filter says which of its params is the key
const keyless: ClientExtensionFilter = { notification: 'com.example/job' }
// @ts-expect-error: a revision that does not exist
const unknown: ClientExtensionRequest = { protocolVersions: ['2099-01-01'] }
console.log(keyless, unknown)
