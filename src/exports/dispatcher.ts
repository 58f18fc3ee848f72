// mcpwire/dispatcher: for authors of transports, and for JSON-RPC without MCP.
export type {
  Channel,
  Connectable,
  ConnectionEvent,
  ConnectOptions,
  OnConnection,
  ReceiveHints,
  Receiver,
  SendHints,
  Transport,
  TransportContext,
  TransportOpenOptions,
} from '../dispatcher/channel.ts'
export { CLIENT_LIMITS, decodeMessage, type MessageLimits, SERVER_LIMITS } from '../dispatcher/decode.ts'
export { createDirectDispatcherPair, type DirectDispatcherOptions } from '../dispatcher/direct-dispatcher.ts'
export {
  type CallOptions,
  type CloseOptions,
  type DispatchContext,
  type Dispatcher,
  type DispatcherOptions,
  type OnNotify,
  type OnRequest,
  type Outbound,
  type Progress,
  UNANSWERED,
} from '../dispatcher/dispatcher.ts'
export { EncodeError, encodeMessage, encodePieces, type MessagePieces } from '../dispatcher/encode.ts'
export type { Fault, FaultKind, OnFault } from '../dispatcher/fault.ts'
export { JSONRPCDispatcher } from '../dispatcher/jsonrpc-dispatcher.ts'
export { createMemoryChannelPair } from '../dispatcher/memory-channel.ts'
export { correlationKey, isRequestId } from '../dispatcher/request-id.ts'
export { type OnWireMessage, tapChannel, tapTransport, type WireMessage } from '../dispatcher/wire-tap.ts'
