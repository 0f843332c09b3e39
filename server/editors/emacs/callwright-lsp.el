;;; callwright-lsp.el --- Callwright in lsp-mode  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:
;; To check other texts, too, add their modes to `lsp-language-id-configuration' and `lsp-deferred' to their hooks.

;;; Code:

(require 'callwright-prompt-mode)

(defvar lsp-language-id-configuration)
(declare-function lsp-activate-on "lsp-mode")
(declare-function lsp-deferred "lsp-mode")
(declare-function lsp-register-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function make-lsp-client "lsp-mode")

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
