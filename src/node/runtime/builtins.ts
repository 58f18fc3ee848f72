// Modules of Node that many programs never need. Each is loaded when it is first used, in the same turn: importing them makes
// every start slower by as much as the rest of this package.

/** `node:http` */
export const loadHttp = () => process.getBuiltinModule('node:http')

/** `node:https`, which loads TLS. */
export const loadHttps = () => process.getBuiltinModule('node:https')

/** `node:child_process` */
export const loadChildProcess = () => process.getBuiltinModule('node:child_process')

/** `node:zlib` */
export const loadZlib = () => process.getBuiltinModule('node:zlib')

/** `node:dns` */
export const loadDns = () => process.getBuiltinModule('node:dns')

/** `node:net` */
export const loadNet = () => process.getBuiltinModule('node:net')

/** `node:crypto` */
export const loadCrypto = () => process.getBuiltinModule('node:crypto')
