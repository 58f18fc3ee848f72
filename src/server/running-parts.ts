// What a server needs once it runs. A program that only defines a server loads none of it.
export { requireClientExtension } from './extensions/client-extension.ts'
export { changesOffered, describeServer, discover, initialize, ping, setLevel } from './lifecycle.ts'
export { LifespanHolder, NestedLeases } from './lifespan.ts'
export { PreparedResults } from './results/respond.ts'
export { createChain, runNested } from './runner.ts'
export { nextTurn, serveChannel } from './serve.ts'
export { serveSubscriptions } from './serving-subscriptions.ts'
export { createSession } from './session.ts'
