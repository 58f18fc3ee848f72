// mcpwire/proxy: servers that stand in front of other servers.
export type { ProxyCaller } from '../proxy/base/caller.ts'
export type { ProxyClientOptions } from '../proxy/base/client-options.ts'
export type {
  Credential,
  ProxyCache,
  ProxyForwarding,
  ProxyNetwork,
  ProxyOptions,
  ProxySessions,
  UpstreamEvent,
} from '../proxy/base/options.ts'
export type { ConfiguredEntry, ConfiguredTarget, ProxyTarget, TargetChoice } from '../proxy/base/targets.ts'
export type { GatewayOptions } from '../proxy/gateway/gateway-options.ts'
export type { GatewaySource, GatewayTargets } from '../proxy/gateway/gateway-targets.ts'
export { createGateway, GatewayServer } from '../proxy/gateway.ts'
export type { HealthOptions, UpstreamHealth } from '../proxy/pool/health.ts'
export { createProxy, ProxyServer } from '../proxy/proxy.ts'
export { type PerUser, type PerUserOptions, perUser, type SignInCredential } from '../proxy/sign-in/per-user.ts'
