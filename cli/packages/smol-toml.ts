// A package that is bundled. It is imported here alone, so that the build puts it into a file of its own and minifies it.
export { parse, stringify, TomlError } from 'smol-toml'
