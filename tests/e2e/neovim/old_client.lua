-- Drives the server from a headless Neovim 0.7, the oldest that distributions still carry, which counts in UTF-16 alone.
--
-- Environment and results are those of client.lua, and here, too, the user's configuration starts the server. What later
-- versions do for an editor is done by hand here, as plugins for this version do it.

local common = dofile(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':h') .. '/common.lua')
local until_true, text = common.until_true, common.text
local seen = {}
local workspace = vim.env.WORKSPACE

local function finish(failure)
  seen.failure = failure
  local file = assert(io.open(vim.env.RESULTS, 'w'))
  file:write(vim.fn.json_encode(seen))
  file:close()
  vim.lsp.stop_client(vim.lsp.get_active_clients(), true)
  vim.cmd(failure and 'cquit' or 'qall!')
end

local function run()
  vim.cmd('edit ' .. vim.fn.fnameescape(workspace .. '/debug/agent.prompt'))
  local buffer = vim.api.nvim_get_current_buf()
  local client
  until_true('the initialized server', function()
    client = vim.lsp.get_active_clients()[1]
    return client and client.initialized and vim.lsp.buf_is_attached(buffer, client.id)
  end)
  seen.encoding = client.offset_encoding
  seen.root = client.config.root_dir

  local function request(method, params)
    local reply = client.request_sync(method, params, 20000, buffer)
    assert(reply, method .. ' was not answered')
    assert(not reply.err, method .. ' failed: ' .. vim.inspect(reply.err))
    return reply.result
  end

  until_true('diagnostics', function()
    return #vim.diagnostic.get(buffer) > 0
  end)
  seen.diagnostics = {}
  for _, item in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(seen.diagnostics, {
      source = item.source,
      message = item.message,
      severity = item.severity == vim.diagnostic.severity.ERROR and 'ERROR' or tostring(item.severity),
      lnum = item.lnum,
      col = item.col,
    })
  end
  seen.before = text(buffer)

  local document = { uri = vim.uri_from_bufnr(buffer) }
  local found = vim.diagnostic.get(buffer)[1]
  local actions = request('textDocument/codeAction', {
    textDocument = document,
    range = found.user_data.lsp and found.user_data.lsp.range or vim.lsp.util.make_range_params().range,
    context = { diagnostics = {}, only = { 'quickfix' } },
  })
  if #actions == 0 then
    vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
    actions = request('textDocument/codeAction', vim.tbl_extend('force', vim.lsp.util.make_range_params(), {
      context = { diagnostics = {}, only = { 'quickfix' } },
    }))
  end
  for _, action in ipairs(actions) do
    if action.title:find('^Convert .*JSON') then
      local whole = action.edit and action or request('codeAction/resolve', action)
      vim.lsp.util.apply_workspace_edit(whole.edit, client.offset_encoding)
      break
    end
  end
  seen.after = text(buffer)
  until_true('a clean buffer', function()
    return #vim.diagnostic.get(buffer) == 0
  end)

  local typed = '🐞 <debug_set'
  vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { typed })
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  vim.wait(300)
  local completion = request('textDocument/completion', {
    textDocument = document,
    position = { line = last, character = vim.lsp.util._str_utfindex_enc(typed, #typed, client.offset_encoding) },
  })
  seen.completion = {}
  for _, item in ipairs(completion.items or completion) do
    table.insert(seen.completion, item.label)
    if item.label == 'debug_set_breakpoint' then
      vim.lsp.util.apply_text_edits({ item.textEdit }, buffer, client.offset_encoding)
    end
  end
  seen.completed = vim.api.nvim_buf_get_lines(buffer, last, last + 1, false)[1]

  local line = vim.fn.search('<debug_launch', 'nw')
  local there = vim.api.nvim_buf_get_lines(buffer, line - 1, line, false)[1]
  local column = assert(there:find('debug_launch', 1, true))
  seen.hover = request('textDocument/hover', {
    textDocument = document,
    position = { line = line - 1, character = vim.lsp.util._str_utfindex_enc(there, column, client.offset_encoding) },
  }).contents.value

  seen.prompts = common.found_in_prompts()
end

local ok, failure = xpcall(run, debug.traceback)
finish(not ok and failure or nil)
