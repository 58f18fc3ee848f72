echo "const log = (target: unknown) => console.error(target)
@log
class Server {}
export default new Server()" > server.ts
mcpwire list server.ts
