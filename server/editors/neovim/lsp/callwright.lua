---@brief
---
--- https://github.com/callwright/callwright
---
--- Checks tool calls that are written in text: prompts, templates and transcripts. It can be installed via `pip`.
---
--- ```sh
--- pip install callwright
--- ```
---
--- A prompt that documents its tools needs no configuration. Other settings are in `callwright.toml`, or in
--- `init_options`:
---
--- ```lua
--- vim.lsp.config('callwright', {
---   init_options = {
---     dialect = 'xml-json',
---   },
--- })
--- ```

---@type vim.lsp.Config
return {
  cmd = { 'callwright', 'server' },
  filetypes = {
    'callwright-prompt',
    'handlebars',
    'jinja',
    'json',
    'jsonl',
    'markdown',
    'text',
    'toml',
    'yaml',
  },
  root_markers = { 'callwright.toml', '.git' },
}
