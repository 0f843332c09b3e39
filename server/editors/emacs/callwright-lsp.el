;;; callwright-lsp.el --- Callwright in lsp-mode  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'callwright-prompt-mode)

(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(callwright-prompt-mode . "callwright-prompt"))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection '("callwright" "server"))
                    :activation-fn (lsp-activate-on "callwright-prompt")
                    :add-on? t
                    :server-id 'callwright)))
(add-hook 'callwright-prompt-mode-hook #'lsp-deferred)

(provide 'callwright-lsp)
;;; callwright-lsp.el ends here
