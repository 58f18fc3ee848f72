// mcpwire/testing: connects a client and a server in one process, and records their messages.
export {
  type ChannelServer,
  type ConnectForTestOptions,
  connect,
  memoryTransport,
  recordWire,
} from '../testing/connect.ts'
export { type FakeClock, fakeClock } from '../testing/fake-clock.ts'
export { type WireEntry, WireRecorder } from '../testing/wire-recorder.ts'
export { type WithTasksOptions, withTasks } from '../testing/with-tasks.ts'
