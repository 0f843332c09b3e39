-- Drives the server from a headless Neovim, which counts columns in UTF-8: diagnostics, a code action, completion, hover.
--
-- The server is started by the user's configuration alone. Environment: WORKSPACE (folder with the files), RESULTS (file
-- to write: one JSON object with what the editor saw), PROMPTS (files to open, one a line). It asserts nothing: the test
-- that starts it does.

local common = dofile(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':h') .. '/common.lua')
local until_true, text = common.until_true, common.text
local seen = {}
local workspace = vim.env.WORKSPACE

local function finish(failure)
  seen.failure = failure
  local file = assert(io.open(vim.env.RESULTS, 'w'))
  file:write(vim.json.encode(seen))
  file:close()
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop(true)
  end
  vim.cmd(failure and 'cquit' or 'qall!')
end

local function request(client, method, params)
  local reply = client:request_sync(method, params, 20000, vim.api.nvim_get_current_buf())
  assert(reply, method .. ' was not answered')
  assert(not reply.err, method .. ' failed: ' .. vim.inspect(reply.err))
  return reply.result
end

-- Open a file, and return its buffer and the client that the configuration attaches to it.
local function open(relative)
  vim.cmd.edit(vim.fs.joinpath(workspace, relative))
  local buffer = vim.api.nvim_get_current_buf()
  local client
  until_true('the initialized server', function()
    client = vim.lsp.get_clients({ bufnr = buffer, name = 'callwright' })[1]
    return client and client.initialized
  end)
  return buffer, client
end

local function diagnostics(buffer)
  return vim.tbl_map(function(item)
    return {
      code = item.code,
      source = item.source,
      message = item.message,
      severity = vim.diagnostic.severity[item.severity],
      lnum = item.lnum,
      col = item.col,
      end_lnum = item.end_lnum,
      end_col = item.end_col,
    }
  end, vim.diagnostic.get(buffer))
end

-- Apply the first code action whose title matches, as `vim.lsp.buf.code_action` does with `apply = true`.
local function apply(buffer, pattern, item)
  vim.api.nvim_win_set_cursor(0, { item.lnum + 1, item.col })
  local before = vim.api.nvim_buf_get_changedtick(buffer)
  vim.lsp.buf.code_action({
    apply = true,
    context = { only = { 'quickfix' } },
    filter = function(action)
      return action.title:find(pattern) ~= nil
    end,
  })
  until_true('the applied code action', function()
    return vim.api.nvim_buf_get_changedtick(buffer) ~= before
  end)
end

local function run()
  -- A fault after characters of two and four bytes.
  local buffer, client = open('debug/agent.prompt')
  seen.encoding = client.offset_encoding
  seen.root = client.root_dir
  until_true('diagnostics', function()
    return #vim.diagnostic.get(buffer) > 0
  end)
  seen.diagnostics = diagnostics(buffer)
  seen.before = text(buffer)
  apply(buffer, '^Convert .*JSON', seen.diagnostics[1])
  seen.after = text(buffer)
  until_true('a clean buffer', function()
    return #vim.diagnostic.get(buffer) == 0
  end)

  -- Completion after a character of four bytes.
  vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { '🐞 <debug_set' })
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = { line = last, character = #'🐞 <debug_set' },
  }
  local completion = request(client, 'textDocument/completion', params)
  local items = completion.items or completion
  seen.completion = {}
  for _, item in ipairs(items) do
    table.insert(seen.completion, item.label)
    if item.label == 'debug_set_breakpoint' then
      vim.lsp.util.apply_text_edits({ item.textEdit }, buffer, client.offset_encoding)
    end
  end
  seen.completed = vim.api.nvim_buf_get_lines(buffer, last, last + 1, false)[1]

  local line = vim.fn.search('<debug_launch', 'nw')
  local column = assert(vim.api.nvim_buf_get_lines(buffer, line - 1, line, false)[1]:find('debug_launch', 1, true))
  seen.hover = request(client, 'textDocument/hover', {
    textDocument = params.textDocument,
    position = { line = line - 1, character = column },
  }).contents.value

  seen.prompts = common.found_in_prompts()
end

local ok, failure = xpcall(run, debug.traceback)
finish(not ok and failure or nil)
