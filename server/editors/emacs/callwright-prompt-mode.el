;;; callwright-prompt-mode.el --- A major mode for prompts with tool calls  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:
;; The mode that callwright-eglot.el and callwright-lsp.el attach the server to, and the names of its files.

;;; Code:

;;;###autoload
(define-derived-mode callwright-prompt-mode text-mode "Prompt"
  "Major mode for prompts and replies that contain tool calls.")

;;;###autoload
(dolist (name '("\\.\\(prompt\\|prompty\\|poml\\|toolcall\\|mdc\\)\\'"
                "\\.\\(prompt\\|instructions\\|agent\\)\\.md\\'"
                "/\\(SKILL\\|AGENTS\\|CLAUDE\\|GEMINI\\)\\.md\\'"
                "/\\.\\(cursor\\|windsurf\\|cline\\)rules\\'"))
  (add-to-list 'auto-mode-alist (cons name 'callwright-prompt-mode)))

(provide 'callwright-prompt-mode)
;;; callwright-prompt-mode.el ends here
