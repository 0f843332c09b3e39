-- Starts Callwright in Neovim 0.7 to 0.10, which have no `vim.lsp.enable`.

local servers = {} -- one for each folder

vim.cmd('autocmd BufNewFile,BufRead *.prompt,*.prompty,*.poml,*.toolcall setfiletype callwright-prompt')
vim.cmd('autocmd BufNewFile,BufRead *.mdc,.cursorrules,.windsurfrules,.clinerules setfiletype markdown')
vim.api.nvim_create_autocmd('FileType', {
  pattern = { 'callwright-prompt', 'handlebars', 'jinja', 'json', 'jsonl', 'markdown', 'text', 'toml', 'yaml' },
  callback = function(event)
    local file = vim.api.nvim_buf_get_name(event.buf)
    local root = vim.fn.findfile('callwright.toml', vim.fn.fnamemodify(file, ':h') .. ';')
    local folder = root ~= '' and vim.fn.fnamemodify(root, ':p:h') or vim.fn.getcwd()
    if not (servers[folder] and vim.lsp.get_client_by_id(servers[folder])) then
      servers[folder] = vim.lsp.start_client({
        name = 'callwright',
        cmd = { 'callwright', 'server' },
        root_dir = folder,
      })
    end
    vim.lsp.buf_attach_client(event.buf, servers[folder])
  end,
})
