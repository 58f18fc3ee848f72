// The completion scripts. Each asks `mcpwire completion` for what may come next, which reads the help table and connects to nothing.

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

export type Shell = (typeof SHELLS)[number]

/** The line that tells a script to add the names of files. */
export const FILES_MARK = ':files'

const BASH = String.raw`# mcpwire completion for bash. Load it with: source <(mcpwire completion bash)
_mcpwire() {
  local typed=("") current="" prefix line
  local IFS=$' \t\n'
  read -ra typed <<< "${'$'}{COMP_LINE:0:COMP_POINT}"
  if [[ "${'$'}{COMP_LINE:0:COMP_POINT}" != *[[:space:]] ]]; then
    current="${'$'}{typed[${'$'}{#typed[@]}-1]}"
    unset "typed[${'$'}{#typed[@]}-1]"
  fi
  # Readline replaces what follows the last of its word breaks.
  prefix="${'$'}{current%"${'$'}{current##*[=:@]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ "$line" == "${FILES_MARK}" ]]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("${'$'}{line#"$prefix"}")
    fi
  done < <(mcpwire completion bash "--current=$current" -- "${'$'}{typed[@]:1}" 2>/dev/null)
  # The value of key= comes without a space.
  if [[ "${'$'}{COMPREPLY[0]-}" == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _mcpwire mcpwire
`

const ZSH = String.raw`#compdef mcpwire
# mcpwire completion for zsh. Load it with: source <(mcpwire completion zsh)
_mcpwire() {
  local -a lines found
  lines=("${'$'}{(@f)$(mcpwire completion zsh "--current=${'$'}{words[CURRENT]}" -- "${'$'}{(@)words[2,CURRENT-1]}" 2>/dev/null)}")
  found=("${'$'}{(@)lines:#${FILES_MARK}}")
  found=("${'$'}{(@)found:#}")
  local ret=1
  local -a whole open
  whole=("${'$'}{(@)found:#*=}")
  open=("${'$'}{(@M)found:#*=}")
  (( ${'$'}{#whole} )) && compadd -- "${'$'}{whole[@]}" && ret=0
  (( ${'$'}{#open} )) && compadd -S '' -- "${'$'}{open[@]}" && ret=0
  (( ${'$'}{lines[(Ie)${FILES_MARK}]} )) && _files && ret=0
  return ret
}
if [[ -n "${'$'}{functions[compdef]}" ]]; then compdef _mcpwire mcpwire; fi
`

const FISH = String.raw`# mcpwire completion for fish. Load it with: mcpwire completion fish | source
function __mcpwire_lines
  set -l typed (commandline -opc)
  set -l current (commandline -ct)
  mcpwire completion fish "--current=$current" -- $typed[2..-1] 2>/dev/null
end
complete -c mcpwire -f
complete -c mcpwire -a '(__mcpwire_lines | string match -v "${FILES_MARK}")'
complete -c mcpwire -n '__mcpwire_lines | string match -q "${FILES_MARK}"' -F
`

const POWERSHELL = String.raw`# mcpwire completion for PowerShell. Load it with: mcpwire completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName mcpwire -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -ne '' -and $typed.Count -gt 0) { $typed = @($typed | Select-Object -SkipLast 1) }
  $lines = @(mcpwire completion powershell "--current=$wordToComplete" '--' @typed 2>$null)
  $lines | Where-Object { $_ -ne '${FILES_MARK}' } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL }
