// mcpwire/proxy: servers that stand in front of other servers.
export type { ProxyCaller } from '../proxy/base/caller.ts'
export type {
  Credential,
  ProxyForwarding,
  ProxyOptions,
  ProxySessions,
  UpstreamEvent,
} from '../proxy/base/options.ts'
export type { ConfiguredEntry, ConfiguredTarget, ProxyTarget, TargetChoice } from '../proxy/base/targets.ts'
export {
  createGateway,
  type GatewayOptions,
  GatewayServer,
  type GatewaySource,
  type GatewayTargets,
} from '../proxy/gateway.ts'
export type { UpstreamHealth } from '../proxy/pool/health.ts'
export { createProxy, ProxyServer } from '../proxy/proxy.ts'
export { type PerUser, type PerUserOptions, perUser, type SignInCredential } from '../proxy/sign-in/per-user.ts'
