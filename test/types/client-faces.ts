// The public members of a group, a subscription and a transport: these and no others.
import type { ClientSessionGroup, Subscription, sse, streamableHttp } from '../../src/exports/client.ts'
import type { Transport } from '../../src/exports/dispatcher.ts'
import { holds, type Same } from './assert.ts'

type GroupMember =
  | 'connectToServer'
  | 'connectWithSession'
  | 'disconnectFromServer'
  | 'refresh'
  | 'callTool'
  | 'readResource'
  | 'getPrompt'
  | 'tools'
  | 'resources'
  | 'resourceTemplates'
  | 'prompts'
  | 'sessions'
  | 'close'
  | typeof Symbol.asyncDispose
holds<Same<keyof ClientSessionGroup, GroupMember>>()

type SubscriptionMember =
  | 'subscriptionId'
  | 'honored'
  | 'refused'
  | 'isClosed'
  | 'close'
  | 'next'
  | 'return'
  | 'throw'
  | typeof Symbol.asyncIterator
  | typeof Symbol.asyncDispose
holds<Same<keyof Subscription, SubscriptionMember>>()

holds<Same<ReturnType<typeof streamableHttp>, Transport>>()
holds<Same<ReturnType<typeof sse>, Transport>>()
