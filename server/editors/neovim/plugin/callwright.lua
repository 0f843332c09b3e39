-- Starts Callwright in Neovim 0.11 or newer, with lsp/callwright.lua beside this folder. Names of prompts that Neovim
-- does not know get a file type.

vim.filetype.add({
  extension = {
    mdc = 'markdown',
    poml = 'callwright-prompt',
    prompt = 'callwright-prompt',
    prompty = 'callwright-prompt',
    toolcall = 'callwright-prompt',
  },
  filename = {
    ['.clinerules'] = 'markdown',
    ['.cursorrules'] = 'markdown',
    ['.windsurfrules'] = 'markdown',
  },
})
vim.lsp.enable('callwright')
