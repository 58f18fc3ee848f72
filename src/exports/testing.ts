// mcpwire/testing: a client and a server in one process, and what they said to each other.
export {
  type ChannelServer,
  type ConnectForTestOptions,
  connect,
  memoryTransport,
  recordWire,
} from '../testing/connect.ts'
export { type WireEntry, WireRecorder } from '../testing/wire-recorder.ts'
