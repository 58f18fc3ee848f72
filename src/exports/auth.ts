// mcpwire/auth: OAuth for clients and resource servers.

export { type ClientCredentialsOptions, clientCredentials } from '../auth/client/client-credentials.ts'
export {
  type EnterpriseManagedOptions,
  enterpriseManaged,
  type IdentityProvider,
} from '../auth/client/enterprise-managed.ts'
export type { AssertionRequest, AssertionSource } from '../auth/client/jwt-bearer.ts'
export type { DevicePrompt } from '../auth/client/login/device-grant.ts'
export type { CallbackContext, RedirectOptions } from '../auth/client/login/redirect-receiver.ts'
export type { PreRegisteredClient } from '../auth/client/login/registered-client.ts'
export type { NetworkOptions } from '../auth/client/network/network-policy.ts'
export { type OAuthOptions, oauth } from '../auth/client/oauth.ts'
export type { ProviderOptions } from '../auth/client/provider.ts'
export {
  type ExchangeCaller,
  type ExchangedCredential,
  type TokenExchange,
  type TokenExchangeOptions,
  tokenExchange,
} from '../auth/client/token-exchange.ts'
export {
  type PrivateKeyJwt,
  type PrivateKeyJwtOptions,
  privateKeyJwt,
  type TokenEndpointAuthMethod,
} from '../auth/client/tokens/client-auth.ts'
export { memoryTokenStore, type TokenStore } from '../auth/client/tokens/token-store.ts'
export { type TokenStoreOnOptions, tokenStoreOn } from '../auth/client/tokens/token-store-on.ts'
export { type WorkloadIdentityOptions, workloadIdentity } from '../auth/client/workload-identity.ts'
export { requireBearer } from '../auth/server/bearer.ts'
export type { BearerOptions, BearerRefusal } from '../auth/server/bearer-options.ts'
export type { DpopOptions } from '../auth/server/dpop.ts'
export type { ResourceDetails } from '../auth/server/resource-metadata.ts'
export type { ImpliedScopes } from '../auth/server/scopes.ts'
export type { JwtAlgorithm } from '../auth/server/signing-keys.ts'
export { subjectTokenOf } from '../auth/server/subject-token.ts'
export type { TokenVerifier, VerifiedToken, VerifyContext, VerifyToken } from '../auth/server/verifier.ts'
export { type IntrospectionVerifierOptions, introspectionVerifier } from '../auth/server/verify-introspection.ts'
export { type JwtVerifierOptions, jwtVerifier } from '../auth/server/verify-jwt.ts'
export { verifyStaticTokens } from '../auth/server/verify-static.ts'
export type { HttpExchange, HttpHandler } from '../http/exchange.ts'
export type { AuthProvider } from '../http/poster.ts'
export type { Principal } from '../http/principal.ts'
export { OAuthError, type OAuthErrorOptions, type OAuthStep } from '../types/errors/failures.ts'
export type { AuthInfo } from '../types/protocol/auth.ts'
