// mcpwire/auth/dev: an authorization server for development.
export {
  type DevAuthorizationServer,
  type DevAuthorizationServerOptions,
  devAuthorizationServer,
} from '../../auth-dev/dev-authorization-server.ts'
