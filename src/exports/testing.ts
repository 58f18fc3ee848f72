// mcpwire/testing: a client and a server in one process, and what they said to each other.
export { type ConnectForTestOptions, connect, recordWire } from '../testing/connect.ts'
export { type ChannelServer, memoryTransport } from '../testing/memory-transport.ts'
export { type WireEntry, WireRecorder } from '../testing/wire-recorder.ts'
