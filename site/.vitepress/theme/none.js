// Stands for parts of VitePress' theme that this site does not use.
export default () => null
