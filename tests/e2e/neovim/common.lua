-- What the clients of all versions of Neovim have in common.

local function until_true(what, condition)
  if not vim.wait(30000, condition, 20) then
    error(what .. ' did not come')
  end
end

local function text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
end

return { until_true = until_true, text = text }
